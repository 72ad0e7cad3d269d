from _no_such_insides import *
from codecs import oem_encode


def property_of(name):
    from java.lang import System
    return System.getProperty(name)
