"""Baselines for a fine-tuned model: the most frequent class, and logistic regression on TF-IDF of words and bigrams."""

import re
from collections import Counter
from itertools import pairwise

import numpy as np
import torch


def majority(labels: list[int]) -> float:
    return max(Counter(labels).values()) / len(labels)


def tf_idf(train: tuple[list[str], list[int]], validation: tuple[list[str], list[int]]) -> float:
    """Returns the validation accuracy of logistic regression with a unit L2 penalty."""
    terms = [_terms(text) for text in train[0]]
    documents = Counter(term for text in terms for term in text)
    index = {term: i for i, term in enumerate(documents)}
    idf = np.log((1 + len(terms)) / (1 + np.array(list(documents.values())))) + 1
    x, held = _matrix(terms, index, idf), _matrix([_terms(text) for text in validation[0]], index, idf)
    labels = torch.tensor(train[1], dtype=torch.float32)
    weights, bias = torch.zeros(len(index), requires_grad=True), torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights, bias], max_iter=60, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimizer.zero_grad()
        logits = torch.mv(x, weights) + bias
        total = torch.nn.functional.binary_cross_entropy_with_logits(logits, labels, reduction="sum")
        total = total + 0.5 * weights.square().sum()
        total.backward()
        return total

    optimizer.step(loss)
    with torch.no_grad():
        predicted = torch.mv(held, weights) + bias > 0
    return float((predicted == torch.tensor(validation[1], dtype=torch.bool)).float().mean())


def _terms(text: str) -> Counter[str]:
    words = re.findall(r"\b\w\w+\b", text.lower())
    return Counter(words + [f"{a} {b}" for a, b in pairwise(words)])


def _matrix(texts: list[Counter[str]], index: dict[str, int], idf: np.ndarray) -> torch.Tensor:
    rows, columns, values = [], [], []
    for row, terms in enumerate(texts):
        known = [(index[term], n) for term, n in terms.items() if term in index]
        weights = np.array([n * idf[i] for i, n in known])
        rows += [row] * len(known)
        columns += [i for i, _ in known]
        values += (weights / max(np.linalg.norm(weights), 1e-12)).tolist()
    size = (len(texts), len(index))
    places, numbers = torch.tensor([rows, columns]), torch.tensor(values, dtype=torch.float32)
    return torch.sparse_coo_tensor(places, numbers, size, check_invariants=True).coalesce()
