from torch.utils.tensorboard import SummaryWriter

# Create a unique log directory
writer = SummaryWriter(log_dir="runs/fashion_mnist_lr_0.001_bs_64") 

import torch
import torch.nn as nn
import torch.optim as optim
import torchvision
import torchvision.transforms as transforms

# Set device
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

# Load Fashion-MNIST
transform = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5,), (0.5,))])
trainset = torchvision.datasets.FashionMNIST(root='./data', train=True, download=True, transform=transform)
trainloader = torch.utils.data.DataLoader(trainset, batch_size=64, shuffle=True)
testset = torchvision.datasets.FashionMNIST(root='./data', train=False, download=True, transform=transform)
testloader = torch.utils.data.DataLoader(testset, batch_size=64, shuffle=False)

# Define a simple CNN
class FashionCNN(nn.Module):
    def __init__(self):
        super(FashionCNN, self).__init__()
        self.conv1 = nn.Conv2d(1, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.pool = nn.MaxPool2d(2, 2)
        self.fc1 = nn.Linear(64 * 5 * 5, 128)
        self.fc2 = nn.Linear(128, 10)
    
    def forward(self, x):
        x = self.pool(torch.relu(self.conv1(x)))
        x = self.pool(torch.relu(self.conv2(x)))
        x = x.view(-1, 64 * 5 * 5)
        x = torch.relu(self.fc1(x))
        x = self.fc2(x)
        return x

model = FashionCNN().to(device)
criterion = nn.CrossEntropyLoss()
optimizer = optim.Adam(model.parameters(), lr=0.001)

epochs = 5
for epoch in range(epochs):
    model.train()
    train_loss, train_correct, train_total = 0.0, 0, 0
    for images, labels in trainloader:
        images, labels = images.to(device), labels.to(device)
        optimizer.zero_grad()
        outputs = model(images)
        loss = criterion(outputs, labels)
        loss.backward()
        optimizer.step()
        
        train_loss += loss.item()
        _, predicted = torch.max(outputs, 1)
        train_total += labels.size(0)
        train_correct += (predicted == labels).sum().item()
    
    train_loss /= len(trainloader)
    train_acc = train_correct / train_total
    
    # Log scalars
    writer.add_scalar("Loss/train", train_loss, epoch)
    writer.add_scalar("Accuracy/train", train_acc, epoch)
    
    # Validation
    model.eval()
    val_loss, val_correct, val_total = 0.0, 0, 0
    with torch.no_grad():
        for images, labels in testloader:
            images, labels = images.to(device), labels.to(device)
            outputs = model(images)
            loss = criterion(outputs, labels)
            val_loss += loss.item()
            _, predicted = torch.max(outputs, 1)
            val_total += labels.size(0)
            val_correct += (predicted == labels).sum().item()
    
    val_loss /= len(testloader)
    val_acc = val_correct / val_total
    
    # Log scalars
    writer.add_scalar("Loss/val", val_loss, epoch)
    writer.add_scalar("Accuracy/val", val_acc, epoch)

writer.add_scalars("Losses", {
    "train": train_loss,
    "val": val_loss
}, epoch)

# Get a batch of images
images, _ = next(iter(trainloader))
images = images.to(device)

# Log model graph
writer.add_graph(model, images)

import torchvision.utils as vutils

# Create a grid of images
img_grid = vutils.make_grid(images[:8], normalize=True)
writer.add_image("Sample Images", img_grid, epoch)

# Modify the model to return features
def get_features(model, images):
    model.eval()
    with torch.no_grad():
        x = model.pool(torch.relu(model.conv1(images)))
        x = model.pool(torch.relu(model.conv2(x)))
        x = x.view(-1, 64 * 5 * 5)
        features = model.fc1(x)
    return features

# Get features, labels, and images for a batch
images, labels = next(iter(testloader))
images, labels = images.to(device), labels.to(device)
features = get_features(model, images)

# Log embeddings
writer.add_embedding(features, metadata=labels.cpu(), label_img=images.cpu())

for name, param in model.named_parameters():
    writer.add_histogram(name, param, epoch)
    if param.grad is not None:
        writer.add_histogram(f"{name}.grad", param.grad, epoch)

from torch.profiler import profile, record_function, ProfilerActivity

with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
             on_trace_ready=torch.profiler.tensorboard_trace_handler('./runs/profile')) as prof:
    with record_function("model_inference"):
        model(images)

step = 0
for epoch in range(epochs):
    model.train()
    for images, labels in trainloader:
        # Training code (as above)
        step += 1
        if step % 100 == 0:
            writer.flush()

writer.close()
