"""The web server: a store, the processes that think, a REST API, and a page that is nothing but its client."""
