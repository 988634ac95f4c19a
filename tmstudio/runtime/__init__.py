"""The processes of a run: learner, driver, and the command that runs both."""
