"""The fault laboratory: servers, people who answer, faults, and a judge of what the database holds afterwards."""
