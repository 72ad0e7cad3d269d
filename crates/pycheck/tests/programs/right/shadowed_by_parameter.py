def run(eval, exec=None):
    return eval, exec
print(run(1))
