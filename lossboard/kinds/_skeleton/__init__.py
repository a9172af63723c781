"""Template of a kind. Copy it to `kinds/<kind>`, rename `skeleton`, and add the kind to `kinds/__init__.py`."""
