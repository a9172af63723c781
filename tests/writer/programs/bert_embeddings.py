import torch
from torch.utils.tensorboard import SummaryWriter
from transformers import BertTokenizer, BertModel
import numpy as np
import random


# Sample data - would normally come from a dataset
tokenizer = BertTokenizer.from_pretrained('bert-base-uncased')
sentences = ["This is the first sentence", "Another sentence is here", "A third one.", "And finally, last one."]

tokens_encoded = tokenizer(sentences, return_tensors='pt', padding=True, truncation=True)
model = BertModel.from_pretrained('bert-base-uncased')

with torch.no_grad():
  outputs = model(**tokens_encoded)
  embeddings = outputs.last_hidden_state[:, 0, :].numpy() # Taking the [CLS] embedding

# TensorBoard setup
writer = SummaryWriter('runs/bert_embeddings')

# Add the embeddings to Tensorboard, along with a metadata array for labels
writer.add_embedding(embeddings, metadata=sentences, tag="BERT_Embeddings")

writer.close()
