//! stub
use neardupe_core::document::{Link, Region};
#[derive(Debug, Clone, Copy, Default)]
pub struct HtmlOptions {
    pub keep_regions: bool,
    pub keep_links: bool,
    pub content: Content,
    pub max_depth: u32,
    pub max_nodes: u64,
}
#[derive(Debug, Default)]
pub struct Extracted {
    pub text: String,
    pub regions: Vec<Region>,
    pub links: Vec<Link>,
    pub remark: Option<Remark>,
}
impl Extracted {
    pub fn clear(&mut self) {
        self.text.clear();
        self.regions.clear();
        self.links.clear();
        self.remark = None;
    }
}
#[derive(Debug, Clone, Copy)]
pub enum Remark {}
impl Remark {
    pub fn name(self) -> &'static str {
        match self {}
    }
}
#[derive(Debug, Clone, Copy, Default)]
pub enum Content {
    #[default]
    Full,
    Main,
}
impl std::str::FromStr for Content {
    type Err = neardupe_core::error::Error;
    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Ok(if s == "main" {
            Content::Main
        } else {
            Content::Full
        })
    }
}
pub struct HtmlExtractor;
impl HtmlExtractor {
    pub fn new(_: HtmlOptions) -> Self {
        Self
    }
    pub fn extract(&mut self, html: &str, out: &mut Extracted) {
        out.text.push_str(html)
    }
}
pub fn looks_like_html(_: &str) -> bool {
    false
}
