"""The processes that think: interviews as pure computation, spread over processes, ready before the answer."""
