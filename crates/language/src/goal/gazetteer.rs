//! Names of places that are known beforehand: evidence for what a name is, never a condition for a place
//! to be found. All tables are sorted and written as keys: lower case, no accents.

/// Tells whether a name is that of a state, a country or a wider region.
pub(super) fn is_region(key: &str) -> bool {
    REGIONS.binary_search(&key).is_ok()
}

/// Tells whether a name written after a comma only says where the place before it lies.
pub(super) fn is_locator(key: &str) -> bool {
    is_region(key) || SHORT_STATES.binary_search(&key).is_ok()
}

/// Tells whether a name is known at all.
pub(super) fn is_known(key: &str) -> bool {
    CITIES.binary_search(&key).is_ok() || is_region(key)
}

/// States, countries and wider regions, in English and Spanish.
#[rustfmt::skip]
const REGIONS: &[&str] = &[
    "africa", "alabama", "alaska", "alemania", "america", "andalucia", "andalusia", "argentina", "arizona",
    "arkansas", "asia", "asturias", "australia", "austria", "bali", "bavaria", "belgica", "belgium",
    "bolivia", "brasil", "brazil", "bretana", "brittany", "california", "canada", "catalonia", "cataluna",
    "chile", "china", "colombia", "colorado", "connecticut", "corea del sur", "costa rica", "croacia",
    "croatia", "cuba", "czech republic", "delaware", "denmark", "dinamarca", "dominican republic", "ecuador",
    "eeuu", "egipto", "egypt", "el salvador", "england", "escandinavia", "escocia", "espana",
    "estados unidos", "europa", "europe", "filipinas", "finland", "finlandia", "florida", "france", "francia",
    "gales", "galicia", "georgia", "germany", "ghana", "grecia", "greece", "guatemala", "hawaii", "holanda",
    "honduras", "hungary", "hungria", "iceland", "idaho", "illinois", "india", "indiana", "indonesia",
    "inglaterra", "iowa", "ireland", "irlanda", "islandia", "israel", "italia", "italy", "japan", "japon",
    "jordan", "kansas", "kentucky", "kenya", "latinoamerica", "lebanon", "louisiana", "maine", "malaysia",
    "marruecos", "maryland", "massachusetts", "mexico", "michigan", "minnesota", "mississippi", "missouri",
    "montana", "morocco", "nebraska", "nepal", "netherlands", "nevada", "new england", "new hampshire",
    "new jersey", "new mexico", "new york state", "new zealand", "nicaragua", "nigeria", "normandy",
    "north carolina", "north dakota", "noruega", "norway", "nueva zelanda", "ohio", "oklahoma", "oregon",
    "paises bajos", "panama", "paraguay", "patagonia", "pennsylvania", "peru", "philippines", "poland",
    "polonia", "portugal", "provence", "provenza", "puerto rico", "reino unido", "republica dominicana",
    "rhode island", "romania", "rumania", "rusia", "russia", "scandinavia", "scotland", "sicilia", "sicily",
    "south africa", "south carolina", "south dakota", "south korea", "spain", "sri lanka", "sudafrica",
    "suecia", "suiza", "sweden", "switzerland", "tailandia", "taiwan", "tanzania", "tennessee", "texas",
    "thailand", "toscana", "turkey", "turquia", "tuscany", "ucrania", "uk", "ukraine", "united kingdom",
    "united states", "uruguay", "usa", "utah", "venezuela", "vermont", "vietnam", "virginia", "wales",
    "washington state", "west virginia", "wisconsin", "wyoming", "yucatan",
];

/// Short forms that follow a city: `Austin, TX`.
#[rustfmt::skip]
const SHORT_STATES: &[&str] = &[
    "ak", "al", "ar", "az", "ca", "co", "ct", "dc", "de", "fl", "ga", "hi", "ia", "id", "il", "in", "ks",
    "ky", "la", "ma", "md", "me", "mi", "mn", "mo", "ms", "mt", "nc", "nd", "ne", "nh", "nj", "nm", "nv",
    "ny", "oh", "ok", "or", "pa", "ri", "sc", "sd", "tn", "tx", "uk", "us", "usa", "ut", "va", "vt", "wa",
    "wi", "wv", "wy",
];

/// Well-known cities, in English and Spanish.
#[rustfmt::skip]
const CITIES: &[&str] = &[
    "albuquerque", "amsterdam", "asuncion", "atenas", "athens", "atlanta", "auckland", "austin", "baltimore",
    "bangkok", "barcelona", "bariloche", "beijing", "berlin", "bilbao", "bogota", "bordeaux", "boston",
    "bruges", "brujas", "bruselas", "brussels", "budapest", "buenos aires", "buffalo", "burdeos", "cairo",
    "cali", "cancun", "cape town", "caracas", "cartagena", "charleston", "charlotte", "chicago", "cincinnati",
    "ciudad de mexico", "ciudad del cabo", "cleveland", "cologne", "colonia", "copenhagen", "copenhague",
    "cordoba", "cracovia", "cusco", "cuzco", "dallas", "delhi", "denver", "detroit", "dubai", "dublin",
    "edimburgo", "edinburgh", "el cairo", "el paso", "estambul", "estocolmo", "filadelfia", "florence",
    "florencia", "frankfurt", "geneva", "ginebra", "granada", "guadalajara", "guayaquil", "hamburg",
    "hamburgo", "hanoi", "havana", "helsinki", "hong kong", "honolulu", "houston", "istanbul", "jerusalem",
    "kansas city", "kioto", "krakow", "kyoto", "la habana", "la paz", "las vegas", "lima", "lisboa", "lisbon",
    "liverpool", "london", "londres", "los angeles", "lyon", "madrid", "malaga", "manchester", "marrakech",
    "marseille", "marsella", "medellin", "melbourne", "memphis", "mendoza", "merida", "mexico city", "miami",
    "milan", "minneapolis", "monterrey", "montevideo", "montreal", "moscow", "moscu", "mumbai", "munich",
    "nairobi", "naples", "napoles", "nashville", "new delhi", "new orleans", "new york", "new york city",
    "nice", "niza", "nueva delhi", "nueva orleans", "nueva york", "nyc", "oakland", "oaxaca", "oklahoma city",
    "omaha", "oporto", "orlando", "osaka", "oslo", "paris", "pekin", "philadelphia", "phoenix", "pittsburgh",
    "portland", "porto", "praga", "prague", "puebla", "quito", "raleigh", "reikiavik", "reykjavik",
    "rio de janeiro", "roma", "rome", "rosario", "sacramento", "salamanca", "salt lake city", "san antonio",
    "san diego", "san francisco", "san jose", "san sebastian", "santiago", "santiago de chile", "sao paulo",
    "savannah", "seattle", "seoul", "seul", "sevilla", "seville", "shanghai", "singapore", "singapur",
    "st. louis", "stockholm", "sydney", "tampa", "tel aviv", "tokio", "tokyo", "toledo", "toronto",
    "toulouse", "tucson", "tulum", "turin", "valencia", "valparaiso", "vancouver", "varsovia", "venecia",
    "venice", "viena", "vienna", "warsaw", "washington", "zaragoza", "zurich",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted() {
        for table in [REGIONS, SHORT_STATES, CITIES] {
            assert!(table.is_sorted());
        }
    }
}
