"""Real servers, scripted players and measurements that tests and benchmarks share. No distribution contains them."""
