// An empty program: what any start of Node costs.
export {};
