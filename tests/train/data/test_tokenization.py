"""Tokenization: the same tokens as the tokenizer gives, in one pass."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer as Backend
from tokenizers import models, normalizers, pre_tokenizers, processors

from lossboard.train.data import word_cache
from lossboard.train.data.tokenization import EncodedExamples, Tokenizer, _Encoder
from lossboard.train.preparation.examples import load_data
from train.preparation.test_examples import write_csv
from train.tiny_bert import make_checkpoint

PIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdeé中,.'!", *(f"##{c}" for c in "abcdeé"), "bad", "##ed"]


def bert_backend(*, lowercase: bool = True) -> Any:
    backend: Any = Backend(models.WordPiece({piece: i for i, piece in enumerate(PIECES)}, unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    backend.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    return backend


def by_the_tokenizer(backend: Any, texts: tuple[str, ...], *, max_length: int) -> tuple[list[int], list[int], int]:
    full = len(backend.encode(*texts))
    backend.enable_truncation(max_length)
    encoding = backend.encode(*texts)
    backend.no_truncation()
    return encoding.ids, encoding.type_ids, full


# Letters of the vocabulary, whitespace of all sorts, control and combining characters, special tokens, and anything.
TEXTS = st.lists(
    st.one_of(
        st.text("abcdeéÉ中,.'! \t\n\u00a0\u0301\u200d\x1c\u3000ΣİK", max_size=12),
        st.sampled_from(["[SEP]", "[MASK]bad", " [CLS] ", "BADED"]),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    ),
    max_size=6,
).map("".join)


@pytest.mark.parametrize("lowercase", [True, False])
@given(texts=st.one_of(st.tuples(TEXTS), st.tuples(TEXTS, TEXTS)), max_length=st.integers(5, 12))
def test_words_give_the_tokens_of_the_whole_text(texts: tuple[str, ...], max_length: int, lowercase: bool) -> None:
    backend = bert_backend(lowercase=lowercase)
    assert word_cache.is_supported(backend)
    assert _Encoder(backend, max_length=max_length, unknown_id=None)._encode([texts]) == [
        by_the_tokenizer(backend, texts, max_length=max_length)
    ]


@given(texts=st.one_of(st.tuples(TEXTS), st.tuples(TEXTS, TEXTS)), max_length=st.integers(5, 12))
def test_other_tokenizers_see_the_whole_text(texts: tuple[str, ...], max_length: int) -> None:
    backend = bert_backend()
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    assert not word_cache.is_supported(backend)
    assert _Encoder(backend, max_length=max_length, unknown_id=None)._encode([texts]) == [
        by_the_tokenizer(backend, texts, max_length=max_length)
    ]


def test_added_tokens_with_spaces_are_not_split() -> None:
    backend = bert_backend()
    backend.add_tokens(["bad bed"])
    assert not word_cache.is_supported(backend)


def test_words_are_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_cache, "MAX_WORDS", 3)
    words = word_cache.WordCache(bert_backend())
    assert [words.encode([text]) for text in ("a b", "c d", "a b")] == [[[5, 6]], [[7, 8]], [[5, 6]]]
    assert len(words._ids) <= 3


def encoded(folder: Path, header: list[str], rows: list[tuple[object, ...]], *, max_length: int) -> EncodedExamples:
    path = write_csv(folder / "x.csv", header, rows)
    return Tokenizer(make_checkpoint(folder / "model")).encode(load_data(path, path).train, max_length=max_length)


def test_padding_in_the_tokenizer_file_is_turned_off(tmp_path: Path) -> None:
    train = encoded(tmp_path, ["text", "label"], [("the film was good", 1), ("good", 0)], max_length=5)
    assert (train.lengths.tolist(), train.full_lengths.tolist()) == ([5, 3], [6, 3])


def test_pairs_have_two_token_types(tmp_path: Path) -> None:
    train = encoded(tmp_path, ["text_a", "text_b", "label"], [("good", "bad", 0), ("bad", "the", 1)], max_length=48)
    tokenizer = Tokenizer(tmp_path / "model")
    assert tokenizer.tokens(train.ids(0).tolist()) == ["[CLS]", "good", "[SEP]", "bad", "[SEP]"]
    assert train.types(0).tolist() == [0, 0, 0, 1, 1]


def test_unknown_tokens_are_counted_for_each_example(tmp_path: Path) -> None:
    rows: list[tuple[object, ...]] = [("good xyz film", 1), ("bad", 0), ("xyz abc", 1)]
    train = encoded(tmp_path, ["text", "label"], rows, max_length=48)
    assert train.unknown.tolist() == [1, 0, 2]
