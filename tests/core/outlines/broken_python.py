def before(a):
    return a


class Holder:
    def fine(self):
        return 1

    def hurt(self):
        return call(1, 2

    def after(self):
        return 3


def far():
    return 4
