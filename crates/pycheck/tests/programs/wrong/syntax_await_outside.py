# expect: PY002 3:1
import asyncio
await asyncio.sleep(0)
