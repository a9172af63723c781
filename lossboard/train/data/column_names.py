"""Names of columns in common datasets, the most specific first."""

TEXTS = ("text", "sentence", "review", "content", "comment", "tweet", "message", "body", "document", "snippet")
LABELS = ("label", "labels", "gold_label", "target", "class", "category", "sentiment", "quality", "is_duplicate", "y")
PAIRS = (
    ("sentence1", "sentence2"),
    ("premise", "hypothesis"),
    ("question1", "question2"),
    ("question", "sentence"),
    ("#1 string", "#2 string"),
    ("text_a", "text_b"),
    ("text1", "text2"),
    ("query", "passage"),
    ("question", "passage"),
)
OTHERS = ("id", "idx", "index", "texts", "question", "context", "answer", "title", "score", "rating", "stars")
KNOWN = frozenset((*TEXTS, *LABELS, *OTHERS, *(name for pair in PAIRS for name in pair)))
