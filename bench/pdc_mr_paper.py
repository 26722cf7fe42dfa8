"""What the paper says: Q. Zhang, Y. Zhang, H. Yu, X. Huang, *Efficient Partial-Duplicate Detection
Based on Sequence Matching*, SIGIR 2010. Figures 6 to 11 are curves without numbers; only what
its text tells of them is here.
"""

# Table 2: precision, recall and F1 at gamma 3, by collection and signature.
TABLE_2 = {
    "chinese": {
        "2-shingles": (0.936, 0.937, 0.936),
        "3-shingles": (0.937, 0.937, 0.937),
        "4-shingles": (0.942, 0.942, 0.942),
        "I-Match [0.1, 1]": (0.935, 0.938, 0.937),
        "SpotSigs, 60 antecedents": (0.938, 0.930, 0.934),
    },
    "english": {
        "2-shingles": (0.987, 0.966, 0.977),
        "3-shingles": (0.987, 0.966, 0.977),
        "4-shingles": (0.987, 0.967, 0.977),
        "I-Match [0.1, 1]": (0.985, 0.960, 0.972),
        "SpotSigs, 10,000 antecedents": (0.981, 0.965, 0.973),
    },
}
# Section 5.4: F1 of 2-shingles on the English set at gamma 1.
GAMMA_1_ENGLISH = 0.952

# Table 3: shares of documents in %: news collection, multiple page, partial quotation, other.
TABLE_3 = {
    "WT10g": (4, 8.5, 80, 7.5),
    "Blogs06": (2.5, 5, 79, 13.5),
    "SogouT 2.0": (10, 18, 60, 12),
    "ClueWeb09-T09B": (3, 7, 58, 32),
}
# Section 5.4: sentences of a quotation, over all collections, and of a document.
LENGTHS = {"WT10g": ("6", "26"), "SogouT 2.0": ("6", "23")}
