"""Live migrations of one server that go on."""
