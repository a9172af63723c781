import torch
import torch.nn as nn
import torch.optim as optim
from torch.utils.tensorboard import SummaryWriter
from transformers import BertModel, BertTokenizer
from torch.utils.data import TensorDataset, DataLoader
import random

# Setup dummy data for demonstration (replace with your actual dataset)
tokenizer = BertTokenizer.from_pretrained('bert-base-uncased')
inputs = ["This is a sentence.", "Here's another one!"]
labels = [0, 1]  # Assuming binary classification
encodings = tokenizer(inputs, return_tensors='pt', padding=True, truncation=True)
dataset = TensorDataset(encodings['input_ids'], encodings['attention_mask'], torch.tensor(labels))
dataloader = DataLoader(dataset, batch_size=2)

# Model setup
model = BertModel.from_pretrained('bert-base-uncased')
classifier = nn.Linear(768, 2)  # Binary classification
optimizer = optim.Adam(list(model.parameters()) + list(classifier.parameters()), lr=0.0001)
loss_fn = nn.CrossEntropyLoss()

# TensorBoard setup
writer = SummaryWriter('runs/bert_training') # Create a subdirectory 'runs/bert_training'

# Training loop
num_epochs = 2
for epoch in range(num_epochs):
    for step, batch in enumerate(dataloader):
        input_ids, attention_mask, labels = batch
        outputs = model(input_ids, attention_mask=attention_mask)
        pooled_output = outputs.pooler_output
        logits = classifier(pooled_output)
        loss = loss_fn(logits, labels)

        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

        predictions = torch.argmax(logits, dim=-1)
        accuracy = (predictions == labels).float().mean()

        # Log scalar metrics
        writer.add_scalar('Loss/train', loss, epoch * len(dataloader) + step) # Loss for each step
        writer.add_scalar('Accuracy/train', accuracy, epoch * len(dataloader) + step) # Accuracy for each step

    # End of Epoch - Log an epoch average
    with torch.no_grad():
      epoch_loss, epoch_acc = 0.0, 0.0
      for step, batch in enumerate(dataloader):
        input_ids, attention_mask, labels = batch
        outputs = model(input_ids, attention_mask=attention_mask)
        pooled_output = outputs.pooler_output
        logits = classifier(pooled_output)
        loss = loss_fn(logits, labels)
        predictions = torch.argmax(logits, dim=-1)
        accuracy = (predictions == labels).float().mean()
        epoch_loss += loss
        epoch_acc += accuracy
      epoch_loss /= len(dataloader)
      epoch_acc /= len(dataloader)
      writer.add_scalar('Loss/epoch', epoch_loss, epoch) # Average loss each epoch
      writer.add_scalar('Accuracy/epoch', epoch_acc, epoch) # Average accuracy each epoch
writer.close()
