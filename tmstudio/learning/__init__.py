"""Learning to drive: networks, the replay, the algorithms that update and the policies that act."""
