"""Copy this folder to `kinds/<kind>`, rename what is named after it, and add the kind to `kinds/__init__.py`."""
