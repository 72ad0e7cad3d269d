"""Reads what a request asks of a table, in English and Spanish: measures, groups, periods, filters.

Nothing is guessed silently: what is taken for granted stands in `assumed`, and a word that asks for something that the
table does not have is an error which names the columns that there are.
"""

import re
import unicodedata

from tables import MONTHS, number


class NotThere(Exception):
    """The request asks for something that the data does not have."""


OPS = {
    "sum": "total totals sum sums suma sumas totales",
    "mean": "average averages mean avg media promedio promedios medio",
    "count": "count counts number how many cuantos cuantas numero recuento conteo",
    "max": "maximum max highest largest biggest maximo maxima mayor",
    "min": "minimum min lowest smallest minimo minima menor",
}
OP_OF = {word: op for op, words in OPS.items() for word in words.split()}
UNSUPPORTED = {"median": "the median", "mediana": "the median", "percentile": "percentiles", "correlation": "correlations",
               "forecast": "forecasts", "predict": "forecasts", "correlacion": "correlations", "pronostico": "forecasts"}

PERIODS = {
    "year": "year years yearly annual annually ano anos anual anuales anualmente",
    "quarter": "quarter quarters quarterly trimestre trimestres trimestral trimestrales",
    "month": "month months monthly mes meses mensual mensuales mensualmente",
    "day": "day days daily dia dias diario diarios diarias",
}
PERIOD_OF = {word: period for period, words in PERIODS.items() for word in words.split()}
OVER_TIME = {"trend", "trends", "evolution", "tendencia", "evolucion", "timeline"}

# Words for the same thing. Columns are found by their own name first.
SYNONYMS = [
    "revenue sales turnover income amount total ventas ingresos importe facturacion monto",
    "price precio cost coste costo",
    "quantity qty units amount cantidad unidades",
    "country pais nation",
    "region area zone zona territory",
    "city ciudad town",
    "product producto item articulo",
    "category categoria type tipo kind",
    "customer client cliente buyer",
    "date fecha day when time timestamp datetime",
    "department departamento dept",
    "salary salario wage sueldo pay",
    "state estado status",
    "year ano",
    "month mes",
    "store shop tienda branch",
    "profit beneficio ganancia margin",
    "age edad",
    "gender sex sexo genero",
    "name nombre",
    "channel canal",
    "seller vendedor salesperson rep",
]
SAME = {}
for line in SYNONYMS:
    for word in line.split():
        SAME.setdefault(word, set()).update(line.split())

BY = {"by", "per", "por", "segun"}
EACH = {"each", "every", "cada"}
SORTING = {"sorted", "sort", "ordered", "order", "ranked", "ordenado", "ordenados", "ordena", "ordenadas"}
NO_GROUP = {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "tomorrow", "today", "me", "us", "email",
            "mail", "hand", "lunes", "martes", "miercoles", "jueves", "viernes", "sabado", "domingo", "favor", "email", "correo",
            "noon", "default", "example", "ejemplo"}
OUT = {"except", "excluding", "without", "excepto", "sin", "salvo", "excluyendo", "not", "no"}
ABOVE = r"(?:>=|>|over|above|more than|greater than|at least|mas de|mayor que|mayores que|superior a|al menos|por encima de)"
BELOW = r"(?:<=|<|under|below|less than|at most|menos de|menor que|menores que|inferior a|como maximo|por debajo de)"
FILLER = set(
    "a an the of and or in for to with on from at is are was were be this that these those its their all please me my our "
    "it as what which show give tell compute calculate find list report analyse analyze analysis summarise summarize summary "
    "write make create draw plot chart charts graph graphs file data table csv tsv jsonl xlsx excel spreadsheet figures figure "
    "result results numbers breakdown each every per by then also have has using use based do does did into only just overall "
    "un una unos unas el la los las de del y o en para con que es son este esta estos estas su sus todo todos toda todas por "
    "favor mi analiza analizar analisis informe informa informar resume resumir resumen calcula calcular muestra mostrar dime "
    "dame haz hacer crea crear grafico grafica graficos archivo fichero datos tabla hoja cifras resultados cada segun cual "
    "cuales solo solamente desglose lista listar se al a lo outliers outlier atipicos atipico profile perfil examine explore "
    "explora examina study estudia estudiar describe describir statistics statistic stats estadisticas estadistica kpi kpis top "
    "best worst mejores peores primeros first last rows row filas fila records registros registro entries per share percentage "
    "percent porcentaje distribution distribucion check revisa out how much cuanto cuanta compare comparar compara desc asc "
    "descending ascending there hay most least more less than mas menos sheet missing values value valores faltantes nulos".split()
)


def fold(text):
    plain = unicodedata.normalize("NFD", text.lower())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def stem(word):
    for ending in ("es", "s"):
        if len(word) > 4 and word.endswith(ending) and not word.endswith("ss"):
            return word[: -len(ending)]
    return word


def parts_of(name):
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    return [word for word in re.split(r"[^a-z0-9]+", fold(spaced)) if word]


class Reader:
    """A request beside the profile of the table that it is about."""

    def __init__(self, request, files, facts):
        text = fold(request)
        for file in files:
            text = text.replace(fold(file), " ")
        self.text = text
        self.words = re.findall(r"[a-z0-9_']+(?:[-.][a-z0-9_]+)*|[,;.:!?]", text)
        self.columns, self.file = facts["columns"], files[0]
        self.used, self.assumed, self.filters, self.counted = set(), [], [], False

    def spanish(self):
        return sum(word in {"de", "por", "el", "la", "los", "las", "y", "informe", "analiza", "ventas", "del", "en"} for word in self.words) > 1

    def no_column(self, word):
        names = ", ".join(column["name"] for column in self.columns[:40])
        return NotThere(f"there is no column “{word}” in {self.file}; it has {names}")

    # ---- columns -------------------------------------------------------------------------------------------------

    def column_at(self, at, kinds=None):
        """The column that the words from `at` on name, and how many words that takes."""
        for long in (4, 3, 2, 1):
            words = self.words[at : at + long]
            if len(words) < long or any(not word[0].isalnum() for word in words):
                continue
            for column in self.fitting(kinds):
                if [stem(word) for word in "_".join(words).replace("-", "_").split("_")] == [stem(part) for part in parts_of(column["name"])]:
                    return column, long
        word = self.words[at]
        for column in self.fitting(kinds):
            if any(stem(part) == stem(word) for part in parts_of(column["name"])) and word not in FILLER:
                return column, 1
        like = SAME.get(word, SAME.get(stem(word), set()))
        for column in self.fitting(kinds):
            if any(part in like or stem(part) in like for part in parts_of(column["name"])):
                self.assume(f"“{word}” is the column {column['name']}")
                return column, 1
        for column in self.fitting(kinds):
            # `alt` for altitude, `department` for dept.
            if word not in FILLER and any(len(part) >= 3 and word.startswith(part) or len(word) >= 4 and part.startswith(word) for part in parts_of(column["name"])):
                self.assume(f"“{word}” is the column {column['name']}")
                return column, 1
        return None, 0

    def fitting(self, kinds):
        return [column for column in self.columns if kinds is None or column["type"] in kinds]

    def assume(self, told):
        if told not in self.assumed:
            self.assumed.append(told)

    def date_column(self, what):
        dates = self.fitting({"date"})
        if not dates:
            raise NotThere(f"{what} needs a column with dates, and {self.file} has none; it has "
                           + ", ".join(column["name"] for column in self.columns[:40]))
        named = [column for column in dates if any(part in self.words for part in parts_of(column["name"]))]
        chosen = (named or dates)[0]
        if len(dates) > 1 and not named:
            self.assume(f"dates are those of the column {chosen['name']}")
        return chosen

    def measure_at(self, at):
        """The numbers that the words from `at` on name: a column, or price times quantity where that is what is meant."""
        column, long = self.column_at(at, {"integer", "number"})
        if column:
            return {"column": column["name"]}, long
        if self.words[at] in SAME["revenue"]:
            pair = [self.known(words) for words in ({"price", "precio"}, {"quantity", "qty", "units", "cantidad", "unidades"})]
            if all(pair):
                names = [column["name"] for column in pair]
                self.assume(f"“{self.words[at]}” is {names[0]} × {names[1]}")
                return {"column": names[0], "times": names[1]}, 1
        return None, 0

    def known(self, words):
        for column in self.fitting({"integer", "number"}):
            if words & set(parts_of(column["name"])):
                return column
        return None

    # ---- filters -------------------------------------------------------------------------------------------------

    def read_filters(self):
        self.compare_filters()
        self.year_filters()
        self.value_filters()

    def compare_filters(self):
        for words, sign in ((ABOVE, ">"), (BELOW, "<")):
            for found in re.finditer(r"(?:([a-z0-9_]+) (?:is |es |of |de )?)?(" + words + r") ([$€£]?[\d][\d.,]*)", self.text):
                amount = number(found.group(3).rstrip(".,"), ".") or number(found.group(3).rstrip(".,"), ",")
                name = found.group(1) or ""
                column = None
                if name in self.words:
                    column, _ = self.column_at(self.words.index(name), {"integer", "number"})
                if column is None:
                    raise NotThere(f"“{found.group(0).strip()}” does not say of which column; say it as in “amount over 100”")
                inclusive = {">=", "at least", "al menos", "<=", "at most", "como maximo"}
                sign_of = sign + "=" if found.group(2) in inclusive else sign
                self.filters.append({"column": column["name"], "is": sign_of, "value": amount})
                self.text = self.text.replace(found.group(0), " ")
        self.words = re.findall(r"[a-z0-9_']+(?:[-.][a-z0-9_]+)*|[,;.:!?]", self.text)

    def year_filters(self):
        for at, word in enumerate(self.words):
            if not re.fullmatch(r"(19|20)\d\d", word):
                continue
            before = self.words[at - 1] if at else ""
            outside = before in OUT
            month = MONTHS.get(before) or (MONTHS.get(self.words[at - 2]) if at > 1 and before in {"de", "of"} else None)
            column = next((column for column in self.fitting({"integer"}) if set(parts_of(column["name"])) & {"year", "ano"}), None)
            if column and not month:
                self.filters.append({"column": column["name"], "is": "!=" if outside else "=", "value": float(word)})
            else:
                column = self.date_column(f"“{word}”")
                period = "month" if month else "year"
                value = f"{word}-{month:02}" if month else word
                self.filters.append({"column": column["name"], "period": period, "is": "!=" if outside else "=", "value": value})
            self.used.update({at, at - 1} if month else {at})

    def value_filters(self):
        """Words that are a value of a column: “for Germany”, “status paid”."""
        values = {}
        for column in self.fitting({"category", "boolean", "text"}):
            for value in column.get("values", []):
                values.setdefault(" ".join(re.findall(r"[a-z0-9_']+", fold(value))), (column["name"], value))
        at = 0
        while at < len(self.words):
            for long in (5, 4, 3, 2, 1):
                words = self.words[at : at + long]
                found = values.get(" ".join(words)) if len(words) == long else None
                if found and self.is_value(at, long, found[0]):
                    outside = any(word in OUT for word in self.words[max(0, at - 2) : at])
                    self.filters.append({"column": found[0], "is": "!=" if outside else "=", "value": found[1]})
                    self.used.update(range(at, at + long))
                    at += long - 1
                    break
            at += 1

    def is_value(self, at, long, column):
        word = self.words[at]
        if any(place in self.used for place in range(at, at + long)) or (long == 1 and (len(word) < 2 or word in FILLER)):
            return False
        before = self.words[at - 1] if at else ""
        marks = {"for", "in", "only", "of", "from", "where", "is", "with", "para", "en", "de", "solo", "desde", "del", "and", "y",
                 "e", "or", "o", ",", "just", "to", "solamente", "es", "la", "las", "los", "el", "the"} | OUT
        return before in marks or before in parts_of(column) or "=" in self.text

    # ---- questions -----------------------------------------------------------------------------------------------

    def questions(self):
        for word, what in UNSUPPORTED.items():
            if word in self.words:
                raise NotThere(f"{what} cannot be computed here; sums, averages, counts, smallest and largest values can")
        self.read_filters()
        found, at, begin, last = [], 0, 0, None
        while at < len(self.words):
            groups, end = self.groups_at(at)
            if groups:
                ranked = ([{"op": "count"}], groups) if self.counted else self.ranked(begin, at, groups)
                self.counted = False
                if ranked:
                    found.append(self.question(*ranked, begin, end))
                    last, begin, at = ranked[0], end, end
                    continue
                measures = self.measures(begin, at) or last
                found.append(self.question(measures or [self.usual_measure()], groups, begin, end))
                last, begin, at = measures or last, end, end
            else:
                at += 1
        rest = self.measures(begin, len(self.words))
        if rest:
            groups = []
            if OVER_TIME & set(self.words):
                groups = [{"column": self.date_column("a trend")["name"], "period": "month"}]
            found.append(self.question(rest, groups, begin, len(self.words)))
        if not found:
            found = self.usual()
        joined = merged(found)
        for question in joined:
            question["filters"] = same_column(self.filters)
        return joined

    def ranked(self, begin, at, groups):
        """“top 5 products by revenue”: what stands after “by” is what they are ranked by."""
        if len(groups) > 1 or "period" in groups[0] or not {"top", "best", "mejores", "principales", "largest", "biggest"} & set(self.words[begin:at]):
            return None
        measure = next((column for column in self.fitting({"integer", "number"}) if column["name"] == groups[0]["column"]), None)
        for place in range(begin, at):
            group, _ = self.column_at(place, {"category", "text", "boolean"}) if self.words[place] not in FILLER else (None, 0)
            if measure and group:
                return [{"op": "sum", "column": measure["name"]}], [{"column": group["name"]}]
        return None

    def question(self, measures, groups, begin, end):
        words = self.words[begin : end + 4]
        limit = None
        for place, word in enumerate(words):
            if word.isdigit() and place and words[place - 1] in {"top", "best", "mejores", "primeros", "largest", "los", "las"}:
                limit = int(word)
        share = bool({"share", "percentage", "percent", "porcentaje", "proporcion"} & set(self.words[begin:end]))
        return {"measures": measures, "groups": groups, "limit": limit, "share": share}

    def groups_at(self, at):
        """The columns or periods after “by”, “per”, “for each”; nothing if the words here are no such thing."""
        word = self.words[at]
        after = at + 1
        if word in PERIOD_OF and word.endswith(("ly", "al", "ales", "mente", "diario", "diarios", "diarias")):
            return [{"column": self.date_column(f"“{word}”")["name"], "period": PERIOD_OF[word]}], at + 1
        if word in BY or word in EACH:
            while after < len(self.words) and self.words[after] in EACH | {"the", "el", "la", "los", "las"}:
                after += 1
        else:
            return [], at
        before = self.words[at - 1] if at else ""
        if after < len(self.words) and OP_OF.get(self.words[after]) == "count" and not self.names_column(after):
            # “top 5 cities by number of shops”
            for place in range(at - 1, -1, -1):
                group, _ = self.column_at(place, {"category", "text", "boolean"}) if self.words[place] not in FILLER else (None, 0)
                if group:
                    self.counted = True
                    return [{"column": group["name"]}], self.after_noun(after + 1, len(self.words))
        if before in SORTING or after >= len(self.words) or self.words[after] in NO_GROUP or not self.words[after][0].isalnum():
            return [], at
        groups = []
        while after < len(self.words):
            group, long = self.group_at(after)
            if not group:
                if not groups:
                    raise self.no_column(self.words[after])
                break
            groups.append(group)
            after += long
            if after + 1 < len(self.words) and self.words[after] in {"and", "y", ","} and self.group_at(after + 1, quiet=True)[0] and self.alone(after + 1):
                after += 1
                continue
            break
        return groups, after

    def alone(self, at):
        """Whether the words here end a list of groups, and do not begin the next question: “by region and sales by month”."""
        rest = self.words[at : at + 4]
        return not any(word in BY for word in rest[1:3]) and rest[0] not in OP_OF

    def group_at(self, at, quiet=False):
        word = self.words[at]
        kept = list(self.assumed)
        column, long = self.column_at(at, {"category", "boolean", "text", "integer", "date", "number"})
        exact = column and stem(word) in [stem(part) for part in parts_of(column["name"])]
        if word in PERIOD_OF and not exact:
            self.assumed = kept
            if quiet and not self.fitting({"date"}):
                return None, 0
            return {"column": self.date_column(f"“by {word}”")["name"], "period": PERIOD_OF[word]}, 1
        if quiet:
            self.assumed = kept
        if column and column["type"] == "date":
            return {"column": column["name"], "period": "day"}, long
        return ({"column": column["name"]}, long) if column else (None, 0)

    def measures(self, begin, end):
        """What is to be computed, from these words; an error if they ask for what is not there."""
        found, op, at = [], None, begin
        while at < end:
            word = self.words[at]
            if word in OP_OF and not self.names_column(at):
                op = OP_OF[word]
                if op == "count" and word in {"how", "number", "numero", "count", "many", "cuantos", "cuantas", "recuento", "conteo"}:
                    found.append({"op": "count"})
                    at = self.after_noun(at + 1, end)
                    op = None
                    continue
                at += 1
                continue
            if at in self.used or word in FILLER or not word[0].isalnum() or word.isdigit() or word in BY | EACH | OUT | OVER_TIME | SORTING:
                at += 1
                continue
            measure, long = self.measure_at(at)
            if measure:
                found.append({"op": op or "sum", **measure})
                at += long
                continue
            other, long = self.column_at(at)
            if other:
                at += long
                if op:
                    raise NotThere(f"the column {other['name']} of {self.file} holds no numbers: it has no {op_word(op)}")
                continue
            if op or self.is_asked(at, end):
                raise self.no_column(word)
            at += 1
        return unique(found)

    def names_column(self, at):
        return any(parts_of(column["name"]) == [self.words[at]] for column in self.fitting({"integer", "number"}))

    def after_noun(self, at, end):
        while at < end and (self.words[at] in {"of", "de", "many", "the", "los", "las"} or self.words[at] in OP_OF):
            at += 1
        return at + 1 if at < end and self.words[at] not in BY else at

    def is_asked(self, at, end):
        """Whether a word stands where a measure stands: right before “by …”, with nothing else named."""
        return at + 1 == end and end < len(self.words) and self.words[end] in BY | EACH and self.words[at - 1 : at] != ["for"]

    def usual_measure(self):
        self.assume("nothing says what to compute: rows are counted")
        return {"op": "count"}

    def usual(self):
        """What is computed when a request only says “analyse it”."""
        groups = [column for column in self.columns if column["type"] in ("category", "boolean") and 2 <= column.get("distinct", 99) <= 20]
        numbers = [column for column in self.columns if column["type"] in ("integer", "number") and not is_id(column)]
        numbers.sort(key=lambda column: not set(parts_of(column["name"])) & SAME["revenue"])
        measures = [{"op": "sum", "column": column["name"]} for column in numbers[:1]] or [{"op": "count"}]
        asked = [{"measures": measures, "groups": [{"column": groups[0]["name"]}] if groups else [], "limit": None, "share": False}]
        dates = self.fitting({"date"})
        if dates:
            asked.append({"measures": measures, "groups": [{"column": dates[0]["name"], "period": "month"}], "limit": None, "share": False})
        shown = " and ".join(describe(question) for question in asked)
        self.assume(f"the request names no figure: {shown} was chosen")
        return asked


def is_id(column):
    return bool(set(parts_of(column["name"])) & {"id", "index", "code", "codigo", "zip", "phone", "year", "ano", "month", "mes", "day", "dia", "hour", "hora", "minute", "week", "quarter", "lat", "lon", "number", "row"}) or column["type"] == "integer" and column.get("distinct", 0) == column["filled"] > 20


def op_word(op):
    return {"sum": "total", "mean": "average", "max": "largest value", "min": "smallest value"}.get(op, op)


def unique(entries):
    out = []
    for entry in entries:
        if entry not in out:
            out.append(entry)
    return out


def merged(questions):
    """One question for each grouping, so that a table has all that is asked of the same groups."""
    out = []
    for question in questions:
        same = next((known for known in out if known["groups"] == question["groups"]), None)
        if same:
            same["measures"] = unique(same["measures"] + question["measures"])
        else:
            out.append(question)
    return out


def same_column(filters):
    """Several wanted values of one column are one filter: any of them."""
    out = []
    for entry in unique(filters):
        key = (entry["column"], entry.get("period"), entry["is"])
        same = next((known for known in out if (known["column"], known.get("period"), known["is"]) == key and entry["is"] == "="), None)
        if same:
            same["any"] = same.get("any", [same["value"]]) + [entry["value"]]
        else:
            out.append(dict(entry))
    return out


def describe(question, spanish=False):
    names = {"sum": "suma", "mean": "media", "max": "máximo", "min": "mínimo"} if spanish else {"sum": "sum", "mean": "average", "max": "largest", "min": "smallest"}
    of, by, rows = ("de", "por", "número de filas") if spanish else ("of", "by", "number of rows")
    measures = [rows if measure["op"] == "count" else f"{names[measure['op']]} {of} {shown(measure)}" for measure in question["measures"]]
    groups = [group_name(group, spanish) for group in question["groups"]]
    joined = (" y " if spanish else " and ").join
    text = joined(measures) + (f" {by} {joined(groups)}" if groups else "")
    if question.get("filters"):
        text += (", solo " if spanish else ", only ") + joined(filter_text(entry) for entry in question["filters"])
    return text


def shown(measure):
    return measure["column"] + (f" × {measure['times']}" if "times" in measure else "")


def group_name(group, spanish=False):
    words = {"year": "año", "quarter": "trimestre", "month": "mes", "day": "día"}
    if "period" not in group:
        return group["column"]
    return f"{words[group['period']] if spanish else group['period']} ({group['column']})"


def filter_text(entry):
    values = entry.get("any", [entry["value"]])
    shown = [f"{value:g}" if isinstance(value, float) else str(value) for value in values]
    column = entry["column"] if "period" not in entry else f"{entry['period']}({entry['column']})"
    return f"{column} {entry['is']} {' / '.join(shown)}"
