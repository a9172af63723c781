import torch
import torch.nn as nn
from torch.utils.tensorboard import SummaryWriter
from transformers import BertModel
import random

# Setup dummy model for demonstration (replace with your trained model)
model = BertModel.from_pretrained('bert-base-uncased')

# TensorBoard setup
writer = SummaryWriter('runs/bert_weights')

# Log weights before training (for comparison)
for name, param in model.named_parameters():
    if 'weight' in name:
        writer.add_histogram(f'Initial_Weights/{name}', param, 0) # Initially at step 0

# Example log weights at a specific time in training, would be part of your training loop
dummy_input = torch.randint(0, 2, (1, 128)).long() # Replace with real input
model(dummy_input) # To generate the weights

for name, param in model.named_parameters():
    if 'weight' in name:
        writer.add_histogram(f'Updated_Weights/{name}', param, 10)  # Log weights at arbitrary step 10

writer.close()
