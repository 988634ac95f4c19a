"""How the processes of a run talk: gRPC service, clients, codecs."""
