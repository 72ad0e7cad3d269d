def input(text):
    return text
def exit():
    return 1
x = input('a') + str(exit())
