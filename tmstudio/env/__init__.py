"""The drive loop: observations, rewards, the delayed control clock, starts, and Gymnasium environments."""
