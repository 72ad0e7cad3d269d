import asyncio
import inspect
print(inspect.signature(len), asyncio.gather)
