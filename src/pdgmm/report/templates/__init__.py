"""The templates of tables and pages."""
