print(json.dumps({}), base64.b64encode(b""), context, len([]), range(3), ValueError, __name__, __file__)
