class Node:
    def child(self) -> "Node":
        return Node()
