//! Addresses of pages, brought to one form: what differs between two addresses of one page
//! is taken away, and what was taken away is kept for the reason that a pair gets.
//!
//! Parsing is that of the crate `url` (the WHATWG rules): it folds the host, resolves dots,
//! and escapes what must be escaped.
//!
//! Two addresses with the same normal form show the same page on most servers: scheme, `www.`,
//! default documents, a slash at the end, the order of parameters, session ids and tracking
//! parameters do not matter. This is a guess about servers, so what was taken away is reported
//! with each pair.

use std::collections::BTreeSet;
use url::Url;

/// Ports on which servers of the web usually listen: which of them says nothing of the page.
/// 443 and 80 are the scheme's own; the other two are common beside them.
const USUAL_PORTS: [u16; 4] = [80, 443, 8080, 8443];
/// What a page is called that is shown for its folder.
const INDEX_NAMES: [&str; 2] = ["index", "default"];
/// The endings it can have. `index.de.html` is not among them: it names a language.
const INDEX_ENDINGS: [&str; 15] = [
    "html", "htm", "shtml", "xhtml", "php", "php3", "php4", "php5", "phtml", "asp",
    "aspx", "jsp", "jspx", "cfm", "cgi",
];
/// Parameters that record where a visitor came from, and never decide what is shown.
const TRACKING: [&str; 17] = [
    "gclid", "fbclid", "msclkid", "dclid", "yclid", "wbraid", "gbraid", "mc_cid",
    "mc_eid", "igshid", "_ga", "_gl", "_hsenc", "_hsmi", "wt.mc_id", "cmpid", "icid",
];
/// The same by how they begin.
const TRACKING_STARTS: [&str; 3] = ["utm_", "pk_", "mtm_"];
/// Parameters that hold a session, whatever their value.
const SESSION: [&str; 10] = [
    "jsessionid",
    "phpsessid",
    "sessionid",
    "session_id",
    "sess_id",
    "aspsessionid",
    "cfid",
    "cftoken",
    "oscsid",
    "zenid",
];
/// Parameters that may hold one: only a value that looks like a random token is taken for it.
const MAYBE_SESSION: [&str; 4] = ["sid", "s", "session", "sess"];
/// Characters of such a token.
/// Shorter values are words or numbers that choose a page.
const MIN_TOKEN: usize = 16;

/// An address of the web in its usual form, with what was taken away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageUrl {
    /// In lower case, without `www.`.
    host: String,
    /// None for the usual ones.
    port: Option<u16>,
    /// Without empty parts, sessions and index pages.
    path: Vec<String>,
    /// Sorted by name, without sessions and tracking.
    query: Vec<(String, String)>,
    /// What a script shows pages by, after the `#`.
    route: Option<String>,
    /// As it was read.
    raw: String,
    taken: Taken,
}

/// What was taken away, or may be written in several ways.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Taken {
    /// `http` or `https`.
    scheme: String,
    /// Whether the host began with it.
    www: bool,
    /// As written, None if it was left out.
    port: Option<u16>,
    /// The name of the index page; empty if it was not written.
    index: String,
    /// For each empty part of the path whether it was the last: a slash at the end, or a
    /// double one.
    slashes: Vec<bool>,
    /// Sessions from path and query, as written.
    sessions: BTreeSet<String>,
    /// Tracking parameters, as written.
    tracking: BTreeSet<String>,
    /// Names of the other parameters in the order in which they were written.
    order: Vec<String>,
    /// All of it, also where it is no route.
    fragment: String,
}

impl PageUrl {
    /// Reads an address; none when it is not an address of the web.
    pub fn parse(text: &str) -> Option<Self> {
        let scheme = text.split_once("://")?.0;
        // Most ids are no addresses: parsing is not worth while for them.
        let is_web =
            scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
        let url = Url::parse(text).ok().filter(|_| is_web)?;
        let mut taken = Taken {
            scheme: url.scheme().to_owned(),
            fragment: url.fragment().unwrap_or_default().to_owned(),
            ..Taken::default()
        };
        let host = plain_host(url.host_str()?, &mut taken)?;
        let port = url.port_or_known_default();
        taken.port = url.port();
        let path = plain_path(url.path(), &mut taken);
        let query = plain_query(url.query().unwrap_or_default(), &mut taken);
        // A fragment names a place on the page, unless a script shows pages by it.
        let route = url.fragment().filter(|it| it.starts_with(['!', '/']));
        Some(PageUrl {
            host,
            port: port.filter(|port| !USUAL_PORTS.contains(port)),
            path,
            query,
            route: route.map(normal_escapes),
            raw: text.to_owned(),
            taken,
        })
    }

    /// The address as it was read.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// The host: in lower case, without `www.` and without the port.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The parts of the path, without index page and session.
    pub fn path(&self) -> &[String] {
        &self.path
    }

    /// The parameters that say what is shown, by name.
    pub fn query(&self) -> &[(String, String)] {
        &self.query
    }

    /// Whether another address has the same host and port.
    pub fn same_host(&self, other: &Self) -> bool {
        self.host == other.host && self.port == other.port
    }

    /// Whether another address has the same path and parameters, whatever its host.
    pub fn same_path(&self, other: &Self) -> bool {
        self.path == other.path && self.query == other.query && self.route == other.route
    }

    /// The usual form, itself an address.
    pub fn normal(&self) -> String {
        let mut normal = format!("http://{}", self.host);
        if let Some(port) = self.port {
            normal += &format!(":{port}");
        }
        normal.push('/');
        normal += &self.path.join("/");
        for (at, (name, value)) in self.query.iter().enumerate() {
            normal.push(if at == 0 { '?' } else { '&' });
            normal += name;
            if !value.is_empty() {
                normal.push('=');
                normal += value;
            }
        }
        if let Some(route) = &self.route {
            normal.push('#');
            normal += route;
        }
        normal
    }

    /// In what two addresses of the same page differ; none when they are of two pages.
    pub fn variant_of(&self, other: &Self) -> Option<Vec<&'static str>> {
        if !self.same_host(other) || !self.same_path(other) {
            return None;
        }
        let (one, two) = (&self.taken, &other.taken);
        let differs = [
            ("scheme", one.scheme != two.scheme),
            ("www", one.www != two.www),
            ("port", one.port != two.port),
            ("index page", one.index != two.index),
            ("session id", one.sessions != two.sessions),
            ("tracking parameters", one.tracking != two.tracking),
            (
                // `/a/` and `/a/index.html` differ in the page alone.
                "slashes",
                one.index == two.index && one.slashes != two.slashes,
            ),
            ("order of parameters", one.order != two.order),
            ("fragment", one.fragment != two.fragment),
        ];
        let differs = differs.into_iter().filter(|(_, differs)| *differs);
        let mut differs: Vec<&str> = differs.map(|(what, _)| what).collect();
        // Equal after all: then only escapes, case of the host or dots can differ.
        if differs.is_empty() && self.raw != other.raw {
            differs.push("case or escapes");
        }
        Some(differs)
    }
}

/// The host without the point at its end and without `www.`; None if nothing is left.
fn plain_host(host: &str, taken: &mut Taken) -> Option<String> {
    let mut host = host.trim_end_matches('.');
    // `www.com` is a name of its own.
    while let Some(rest) = host.strip_prefix("www.")
        && rest.contains('.')
        && !rest.starts_with('.')
    {
        taken.www = true;
        host = rest;
    }
    (!host.is_empty()).then(|| host.to_owned())
}

/// The parts of a path that name a page. What is dropped is noted.
fn plain_path(path: &str, taken: &mut Taken) -> Vec<String> {
    let mut parts = Vec::new();
    let pieces: Vec<&str> = path.split('/').skip(1).collect();
    for (at, piece) in pieces.iter().enumerate() {
        // Not the one after the host, which every address has.
        if piece.is_empty() && pieces.len() > 1 {
            taken.slashes.push(at + 1 == pieces.len());
        }
        let piece = normal_escapes(piece);
        let piece = without_session(&piece, taken);
        // Dots have been resolved; what is left of `..;jsessionid=1` would be again.
        if !matches!(piece, "" | "." | "..") {
            parts.push(piece.to_owned());
        }
    }
    while let Some(last) = parts.last().filter(|last| is_index(last)) {
        taken.index = last.clone();
        parts.pop();
    }
    parts
}

/// A piece of a path without the sessions that servers write into it: `;jsessionid=1A2B`, or a
/// piece of its own, `(S(1a2b))`. Behind one there may be another.
fn without_session<'a>(mut piece: &'a str, taken: &mut Taken) -> &'a str {
    loop {
        match without_one_session(piece, taken) {
            rest if rest == piece => return piece,
            rest => piece = rest,
        }
    }
}

/// Takes one session off the end of a piece, if there is one.
fn without_one_session<'a>(piece: &'a str, taken: &mut Taken) -> &'a str {
    let in_brackets = piece
        .strip_prefix("(S(")
        .or_else(|| piece.strip_prefix("(s("));
    if in_brackets.is_some_and(|rest| rest.ends_with("))")) {
        taken.sessions.insert(piece.to_owned());
        return "";
    }
    let Some((before, after)) = piece.split_once(';') else {
        return piece;
    };
    let name = after.split('=').next().unwrap_or_default();
    if SESSION.contains(&name.to_ascii_lowercase().as_str()) {
        taken.sessions.insert(after.to_owned());
        before
    } else {
        piece
    }
}

/// Whether a part is an index page. Without an ending it is a page of its own.
fn is_index(piece: &str) -> bool {
    let piece = piece.to_ascii_lowercase();
    let named = piece.split_once('.');
    named.is_some_and(|(name, ending)| {
        INDEX_NAMES.contains(&name) && INDEX_ENDINGS.contains(&ending)
    })
}

/// The parameters that decide what is shown, sorted. Names are compared in lower case but
/// kept as they are: servers differ in that.
fn plain_query(query: &str, taken: &mut Taken) -> Vec<(String, String)> {
    let mut parameters = Vec::new();
    for parameter in query.split('&') {
        let parameter = normal_escapes(&parameter.replace('+', "%20"));
        // Addresses are often taken out of pages with their escapes.
        let mut parameter = parameter.as_str();
        while let Some(rest) = parameter.strip_prefix("amp;") {
            parameter = rest;
        }
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        if name.is_empty() && value.is_empty() {
            continue;
        }
        let folded = name.to_ascii_lowercase();
        // A token has digits; a long word has none.
        let is_token = value.len() >= MIN_TOKEN
            && value.bytes().all(|it| it.is_ascii_alphanumeric())
            && value.bytes().any(|it| it.is_ascii_digit());
        if SESSION.contains(&folded.as_str())
            || folded.starts_with("aspsessionid")
            || (is_token && MAYBE_SESSION.contains(&folded.as_str()))
        {
            taken.sessions.insert(format!("{name}={value}"));
        } else if TRACKING.contains(&folded.as_str())
            || TRACKING_STARTS
                .iter()
                .any(|start| folded.starts_with(start))
        {
            taken.tracking.insert(format!("{name}={value}"));
        } else {
            parameters.push((name.to_owned(), value.to_owned()));
        }
    }
    taken.order = parameters.iter().map(|(name, _)| name.clone()).collect();
    // Servers read parameters by name, whatever their order.
    parameters.sort();
    parameters
}

/// Escapes in their usual form: letters, digits and `-._~` are written as they are, the
/// others in upper case. A `%` that begins none is escaped, so that none can come about.
fn normal_escapes(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut normal = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        normal += &rest[..at];
        let from = text.len() - rest.len() + at;
        let digit = |at: usize| bytes.get(at).and_then(|it| char::from(*it).to_digit(16));
        match (digit(from + 1), digit(from + 2)) {
            (Some(high), Some(low)) => {
                // Unreserved characters mean the same with and without an escape (RFC 3986,
                // section 2.3).
                let byte = char::from_u32(high * 16 + low).unwrap_or_default();
                if byte.is_ascii_alphanumeric() || "-._~".contains(byte) {
                    normal.push(byte)
                } else {
                    normal += &format!("%{high:X}{low:X}")
                }
                rest = &text[from + 3..];
            }
            _ => {
                normal += "%25";
                rest = &text[from + 1..];
            }
        }
    }
    normal + rest
}

#[cfg(test)]
mod tests;
