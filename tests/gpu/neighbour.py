"""Holds a number of bytes of the GPU, like another process, until its standard input ends."""
import sys

import torch

held = torch.empty(int(sys.argv[1]), dtype=torch.uint8, device="cuda")
torch.cuda.synchronize()
print("holding", flush=True)
sys.stdin.read()
