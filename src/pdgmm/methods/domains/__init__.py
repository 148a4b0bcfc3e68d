"""Methods for data that come from several domains ``u``."""
