# expect: PY301 2:1
import asyncio
asyncio.open_connection("x", 1)
