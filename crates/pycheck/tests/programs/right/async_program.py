import asyncio
async def work(n):
    async with lock() as held:
        return [x async for x in agen(n)], held
async def agen(n):
    for i in range(n):
        yield i
        await asyncio.sleep(0)
def lock():
    return None
asyncio.run(work(1))
