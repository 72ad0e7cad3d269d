from typing import TYPE_CHECKING
if TYPE_CHECKING:
    class Early(Later):
        pass
class Later:
    pass
