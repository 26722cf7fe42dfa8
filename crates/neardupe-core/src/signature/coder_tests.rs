//! Codes as they are stored for good, and what each variant does.

use super::*;
use crate::document::{Region, RegionKind};
use crate::signature::anchors::address_hash;
use crate::text::StopWords;

const TEXT: &str = "The grain harvest of 1987 fell by 12 pct, the ministry said in May. \
    Exports of wheat and barley will fall too, and prices of grain may rise.";

fn spec(variant: &str) -> CodeSpec {
    let words = WordOptions {
        stop_words: StopWords::named("en").unwrap(),
        ..WordOptions::default()
    };
    let features = FeatureKind::Terms;
    let table = table(features, &words);
    CodeSpec {
        features,
        words,
        seed: 0,
        variant: variant.parse().unwrap(),
        idf: Idf::Log,
        reserve: None,
        fields: vec!["topic".to_owned(), "rank".to_owned(), "url".to_owned()],
        num_features: 1,
        df: Arc::new(table),
        of_hosts: None,
        anchors: None,
    }
}

fn table(features: FeatureKind, words: &WordOptions) -> DfTable {
    let spec = FeatureSpec::new(features, words, 0);
    let df = [
        ("grain", 40),
        ("said", 900),
        ("pct", 300),
        ("may", 500),
        ("1987", 200),
    ];
    let term = |word: &str| hash::numbered(hash::word(word.as_bytes()), 1, 0);
    DfTable::from_counts(
        FeatureSpecText::from(&spec),
        1000,
        2,
        df.into_iter().map(|(word, df)| (term(word), df)),
    )
}

fn code_of(spec: CodeSpec, text: &str, metadata: &[Option<String>]) -> Option<u64> {
    let record = Record {
        text,
        metadata,
        ..Record::default()
    };
    Coder::new(Arc::new(spec)).unwrap().code(&record)
}

fn code(variant: &str, text: &str) -> Option<u64> {
    code_of(spec(variant), text, &[])
}

#[test]
fn stored_codes_never_change() {
    // A change here makes every stored code worthless: it needs a new identity.
    let codes = [
        ("original", 0x95c0_d32e_5782_5763),
        ("no-numbers", 0xdde1_d326_5f8a_5f65),
        ("low-threshold", 0x95c0_d32e_5782_5763),
        ("high-threshold", 0x95c0_d32e_5782_5763),
        ("position", 0xd5e2_d32e_5586_d363),
        ("function", 0xcd69_d30c_5f86_d355),
        ("function:inverse", 0xfde3_c32c_4586_d353),
        ("function:inverse-log", 0xdde0_c32e_5782_d343),
        ("middle", 0xdb2a_da6d_690a_8b4d),
        ("top:5", 0xe461_d38d_57aa_5525),
        ("top:20%", 0x8ec1_d388_47aa_f695),
        ("damped", 0x95c0_d32e_5782_5763),
    ];
    let found = codes.map(|(variant, _)| (variant, code(variant, TEXT).unwrap()));
    assert_eq!(found, codes, "{found:#x?}");
    let mut shingles = spec("original");
    shingles.features = FeatureKind::Mixed(3, 5);
    shingles.words = WordOptions::default();
    shingles.idf = Idf::None;
    assert_eq!(code_of(shingles, TEXT, &[]), Some(0xf606_c2c9_1832_f585));
    let mut inverse = spec("original");
    inverse.idf = Idf::Inverse;
    assert_eq!(code_of(inverse, TEXT, &[]), Some(0x95c0_d32e_5782_5763));
}

/// A text whose words weigh from almost nothing to very much, with the number of documents of
/// 1,000 that have each: two outliers, some large ones, numbers, many of middling weight, and
/// very many that most documents have.
fn wide() -> (String, Vec<(String, u32)>) {
    let mut words = vec![("wheat".to_owned(), 9, 3), ("barley".to_owned(), 9, 4)];
    for number in 0..12u32 {
        words.push((
            format!("{}", 1900 + number * 7),
            1 + number % 3,
            5 + number * 11,
        ));
    }
    for (number, letter) in (0u32..).zip('a'..='z') {
        words.push((format!("large{letter}"), 1 + number % 4, 4 + number));
        words.push((
            format!("middling{letter}"),
            1 + number % 2,
            60 + number * 19,
        ));
        for other in 'a'..='z' {
            words.push((format!("common{letter}{other}"), 1, 610 + number * 5));
        }
    }
    let mut text = String::new();
    for round in 0..9 {
        for (word, ..) in words.iter().filter(|(_, times, _)| *times > round) {
            text.push_str(word);
            text.push(' ');
        }
    }
    let counts = words.into_iter().map(|(word, _, df)| (word, df));
    (text, counts.collect())
}

#[test]
fn of_a_text_with_wide_weights_each_setting_has_its_own_code() {
    let (text, counts) = wide();
    let term = |word: &str| hash::numbered(hash::word(word.as_bytes()), 1, 0);
    let wide_spec = |variant: &str| {
        let mut spec = spec(variant);
        let specification = spec.df.specification().clone();
        let counts = counts.iter().map(|(word, df)| (term(word), *df));
        spec.df = Arc::new(DfTable::from_counts(specification, 1000, 2, counts));
        spec
    };
    // As above: stored for good.
    let codes: [(&str, u64); 15] = [
        ("original", 0xd466_df3d_b44a_5d70),
        ("no-numbers", 0xdce6_db3d_b448_1f70),
        ("low-threshold", 0xd466_db3d_b44a_5d70),
        ("high-threshold", 0xcdc6_e03c_b4e1_0e52),
        ("threshold:1/8", 0xd466_db3d_b448_5d60),
        ("position", 0xc562_c96d_b4f2_5952),
        ("function", 0xd466_cb3d_b44a_5d60),
        ("function:inverse", 0xc566_e93c_b4e2_0e52),
        ("function:inverse-log", 0xc566_c93d_b442_5d72),
        ("middle", 0x1065_5fb9_f04a_f965),
        ("top:5", 0xd466_c93d_3c48_1f60),
        ("top:5%", 0xd466_db2d_b44a_1d60),
        ("damped", 0xd066_df39_b44a_5d70),
        ("no-numbers,damped", 0xd0e4_5f3d_b448_1f71),
        ("position,damped,top:30", 0xc172_c965_b4f2_5952),
    ];
    let found = codes
        .map(|(variant, _)| (variant, code_of(wide_spec(variant), &text, &[]).unwrap()));
    assert_eq!(found, codes, "{found:#x?}");
    let mut inverse = wide_spec("original");
    inverse.idf = Idf::Inverse;
    let mut even = wide_spec("original");
    even.idf = Idf::None;
    let mut seeded = wide_spec("original");
    seeded.seed = 1;
    let mut shingles = even.clone();
    shingles.features = FeatureKind::Mixed(3, 5);
    let others =
        [inverse, even, seeded, shingles].map(|spec| code_of(spec, &text, &[]).unwrap());
    let stored = [
        0xcce6_cb3d_b469_1f70,
        0xdde4_dd3b_540e_1d72,
        0x10c0_6c5d_d4c7_4c30,
        0x3484_7f9b_427f_1c86,
    ];
    assert_eq!(others, stored, "{others:#x?}");
    let mut all: Vec<u64> = codes.iter().map(|(_, code)| *code).collect();
    all.extend(stored);
    let settings = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), settings, "two settings have one code");
}

#[test]
fn a_document_without_a_word_has_no_code_and_short_ones_have_their_own() {
    assert_eq!(code("original", ""), None);
    assert_eq!(code("original", " -- the of and"), None);
    let short = ["grain", "wheat", "barley", "12", "1987", "May", "12 1987"];
    for variant in [
        "original",
        "no-numbers",
        "high-threshold",
        "function",
        "top:1",
    ] {
        let mut codes: Vec<u64> = short
            .iter()
            .map(|text| code(variant, text).unwrap())
            .collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), short.len(), "{variant}");
        for (at, one) in codes.iter().enumerate() {
            let others = codes[at + 1..].iter();
            let nearest = others.map(|other| (one ^ other).count_ones()).min();
            assert!(nearest.unwrap_or(64) > 12, "{variant}");
        }
    }
}

#[test]
fn features_that_all_documents_have_still_tell_documents_apart() {
    let mut everywhere = spec("original");
    let spec_text = everywhere.df.specification().clone();
    let term = |word: &str| hash::numbered(hash::word(word.as_bytes()), 1, 0);
    let words = |lead: &str| (0..9).map(|at| format!("{lead}{at} ")).collect::<String>();
    let text = words("grain") + &words("wheat");
    let counts = text.split_whitespace().map(|word| (term(word), 1000));
    everywhere.df = Arc::new(DfTable::from_counts(spec_text, 1000, 2, counts));
    let one = code_of(everywhere.clone(), &words("grain"), &[]).unwrap();
    let other = code_of(everywhere, &words("wheat"), &[]).unwrap();
    assert!((one ^ other).count_ones() > 8);
}

#[test]
fn numbers_and_dates_go_where_they_shall() {
    let other = TEXT.replace("1987", "1988").replace("12 pct", "13 pct");
    assert_ne!(code("original", TEXT), code("original", &other));
    assert_eq!(code("no-numbers", TEXT), code("no-numbers", &other));
}

#[test]
fn metadata_is_part_of_the_code() {
    let topic = |value: &str| [Some(value.to_owned()), None, None];
    let plain = code("original", TEXT).unwrap();
    let apart = |variant: &str, one: &[Option<String>], other: &[Option<String>]| {
        let one = code_of(spec(variant), TEXT, one).unwrap();
        let other = code_of(spec(variant), TEXT, other).unwrap();
        (one ^ other).count_ones()
    };
    assert_eq!(
        code_of(spec("original"), TEXT, &topic("grain")),
        Some(plain)
    );
    let (grain, both) = (topic("grain"), topic("grain;trade"));
    let half = apart("metadata:1/2", &grain, &topic("ship"));
    let twice = apart("metadata:2", &grain, &topic("ship"));
    assert!(0 < half && half < twice, "{half} {twice}");
    assert!(apart("metadata", &grain, &both) > 0);
    assert_eq!(
        apart(
            "metadata",
            &grain,
            &[Some(" grain ".to_owned()), None, None]
        ),
        0
    );
    // The weakest bit, and those that are as weak: half of the values turn each.
    let flips: Vec<u32> = (0..40)
        .map(|number| apart("metadata:flip", &grain, &topic(&number.to_string())))
        .collect();
    assert!(flips.iter().all(|&bits| bits <= 4), "{flips:?}");
    assert!(flips.iter().sum::<u32>() >= 10, "{flips:?}");
    let rank = |value: &str| [None, Some(value.to_owned()), None];
    let ranked = "numeric:rank:-5..5";
    assert!(apart(ranked, &rank("5"), &rank("-5")) > 2);
    assert!(apart(ranked, &rank("5"), &rank("0")) > 0);
    assert_eq!(apart(ranked, &rank("0"), &rank("no number")), 0);
    assert_eq!(apart(ranked, &rank("5"), &rank("5000")), 0);
    // Stored for good, as the codes above.
    let stored =
        ["-5", "-2.5", "5"].map(|value| code_of(spec(ranked), TEXT, &rank(value)));
    let codes = [
        0xdd42_d32f_598a_db67,
        0x9540_d32e_5782_5f63,
        0x97e0_d26c_5782_5741,
    ];
    assert_eq!(stored, codes.map(Some), "{stored:#x?}");
    // Without a range nothing is known of a number.
    assert_eq!(apart("numeric:rank", &rank("5"), &rank("-5")), 0);
}

#[test]
fn large_numbers_do_not_decide_a_code() {
    let texts = (0..40u32).map(|number| {
        let words = (0..30).map(|at| format!("word{} ", number * 30 + at));
        words.collect::<String>()
    });
    let ranged = spec("numeric:rank:1000000000..9000000000");
    let codes = texts.zip(0u64..).map(|(text, number)| {
        let rank = (1_000_000_000 + number * 200_000_000).to_string();
        code_of(ranged.clone(), &text, &[None, Some(rank), None]).unwrap()
    });
    let codes: Vec<u64> = codes.collect();
    for (at, one) in codes.iter().enumerate() {
        let others = codes[at + 1..].iter();
        let nearest = others.map(|other| (one ^ other).count_ones()).min();
        assert!(nearest.unwrap_or(64) > 8, "{nearest:?}");
    }
}

#[test]
fn reserved_bits_stand_for_a_value() {
    let mut reserving = spec("original");
    reserving.reserve = Some(Reserve {
        field: "topic".to_owned(),
        bits: 8,
    });
    assert_eq!(reserving.reserved_bits(), 0xff00_0000_0000_0000);
    let topic = |value: &str| [Some(value.to_owned()), None, None];
    let code = |value: &str| code_of(reserving.clone(), TEXT, &topic(value)).unwrap();
    let plain = code_of(spec("original"), TEXT, &[]).unwrap();
    assert_eq!(code("grain") << 8, plain << 8);
    assert_ne!(code("grain") >> 56, code("ship") >> 56);
    assert_eq!(code("grain"), code("grain"));
}

#[test]
fn tagged_text_and_links_weigh_more() {
    let tagged = |from: &str, kind| {
        let start = TEXT.find(from).unwrap();
        let span = Span {
            start,
            end: start + from.len(),
        };
        [Region { kind, span }]
    };
    let weight = |spec: CodeSpec, word: &str, regions: &[Region], url: &str| {
        let metadata = [None, None, Some(url.to_owned())];
        let record = Record {
            text: TEXT,
            regions,
            metadata: &metadata,
            ..Record::default()
        };
        let term = hash::numbered(hash::word(word.as_bytes()), 1, 0);
        let mut coder = Coder::new(Arc::new(spec)).unwrap();
        let found = coder
            .weighted(&record)
            .iter()
            .find(|one| one.feature == term);
        found.map(|one| one.weight)
    };
    let bold = tagged("Exports of wheat", RegionKind::Bold);
    let body = tagged("Exports of wheat", RegionKind::Body);
    let plain = weight(spec("original"), "wheat", &bold, "").unwrap();
    assert_eq!(
        weight(spec("tagged"), "wheat", &bold, ""),
        Some(plain * 1.5)
    );
    assert_eq!(weight(spec("tagged"), "wheat", &body, ""), Some(plain));
    assert_eq!(weight(spec("tagged:3"), "barley", &bold, ""), Some(plain));
    let term = |word: &str| hash::numbered(hash::word(word.as_bytes()), 1, 0);
    let mut linked = spec("tagged");
    let here = address_hash("http://a.org/x");
    let rows = vec![(here, term("wheat")), (here, term("report"))];
    linked.anchors = Some(Arc::new(Anchors::new(rows)));
    let at = |word: &str, url: &str| weight(linked.clone(), word, &[], url);
    assert_eq!(at("wheat", "http://a.org/x"), Some(plain * 2.5));
    assert_eq!(at("report", "http://a.org/x"), Some(plain * 1.5));
    assert_eq!(at("report", "http://a.org/y"), None);
}

#[test]
fn the_template_of_a_host_weighs_less() {
    let mut templated = spec("template");
    let words = templated.words.clone();
    let mut extractor = crate::feature::Extractor::new(FeatureKind::Terms, &words, 0);
    let fields = templated.fields.clone();
    let mut counts = Vec::new();
    for page in 0..6 {
        let text = format!("home contact page{page}");
        let metadata = [None, None, Some(format!("http://a.org/{page}"))];
        let record = Record {
            text: &text,
            metadata: &metadata,
            ..Record::default()
        };
        let mut features = Vec::new();
        extractor.distinct(&text, &mut features);
        template_features(&fields, &record, &mut features);
        counts.extend(features.into_iter().map(|feature| (feature, 1)));
    }
    let spec_text = templated.df.specification().clone();
    templated.of_hosts = Some(Arc::new(DfTable::from_counts(
        spec_text,
        6,
        1,
        counts.into_iter(),
    )));
    let weights = |url: &str| {
        let metadata = [None, None, Some(url.to_owned())];
        let record = Record {
            text: "home page3 one two three four five six",
            metadata: &metadata,
            ..Record::default()
        };
        let mut coder = Coder::new(Arc::new(templated.clone())).unwrap();
        let weighted = coder.weighted(&record);
        let weight = |word: &str| {
            let term = hash::numbered(hash::word(word.as_bytes()), 1, 0);
            let found = weighted.iter().find(|one| one.feature == term);
            found.map(|one| one.weight)
        };
        (weight("home").unwrap(), weight("page3").unwrap())
    };
    let (home, page) = weights("http://a.org/3");
    assert!((home * 10.0 - page).abs() < 1e-9, "{home} {page}");
    let (home, page) = weights("http://b.org/3");
    assert!((home - page).abs() < 1e-9, "{home} {page}");
}

#[test]
fn codes_of_different_makings_have_different_names() {
    let mut names: Vec<String> = [
        "original",
        "damped",
        "metadata",
        "numeric:rank",
        "numeric:rank:0..5",
        "numeric:rank:0..6",
    ]
    .into_iter()
    .map(|variant| spec(variant).identity())
    .collect();
    let mut other = spec("original");
    other.idf = Idf::Inverse;
    names.push(other.identity());
    other.idf = Idf::None;
    names.push(other.identity());
    other.seed = 1;
    names.push(other.identity());
    let mut less = spec("original");
    let spec_text = less.df.specification().clone();
    less.df = Arc::new(DfTable::from_counts(spec_text, 999, 2, std::iter::empty()));
    names.push(less.identity());
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
    assert_eq!(spec("original").identity(), spec("original").identity());
}
