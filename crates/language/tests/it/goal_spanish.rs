//! Travel requests in Spanish, each with what must be read from it.

use crate::goal_table::all_are_read;

#[test]
fn spanish_trips_are_read() {
    // spec: planning GD-02
    all_are_read(&[
        (
            "Planifica un viaje de 3 días a París en mayo con un presupuesto de 2000 €",
            "-|París|3|1|May 2025|-|2000|-|-|-|-",
        ),
        (
            "Quiero un viaje de cinco días de Madrid a Lisboa para dos personas, del 3 al 7 de marzo de 2022, con un presupuesto de 1.500 euros.",
            "Madrid|Lisboa|5|1|2022-03-03|2|1500|-|-|-|-",
        ),
        (
            "Organiza una escapada de fin de semana a Sevilla para una pareja por menos de 600 €.",
            "-|Sevilla|2|1|-|2|600|-|-|-|-",
        ),
        (
            "Necesito un itinerario de una semana saliendo de Bogotá y visitando 3 ciudades de Italia del 10 al 16 de junio de 2022 para cuatro personas. El presupuesto es de 8.000 dólares.",
            "Bogotá|Italia|7|3|2022-06-10|4|8000|-|-|-|-",
        ),
        (
            "Viajo solo desde Lima a Cusco entre el 5 y el 9 de abril de 2022, con 700 USD.",
            "Lima|Cusco|5|1|2022-04-05|1|700|-|-|-|-",
        ),
        (
            "Mi esposa y yo queremos ir de Monterrey a Cancún durante 4 días en julio; podemos gastar hasta 20 mil pesos mexicanos.",
            "Monterrey|Cancún|4|1|July 2025|2|20000|-|-|-|-",
        ),
        (
            "Ayúdame a planear un viaje para una familia de cinco, partiendo de Valencia con destino a Roma, desde el 28 de marzo hasta el 1 de abril de 2022. Presupuesto: 3.200 €.",
            "Valencia|Roma|5|1|2022-03-28|5|3200|-|-|-|-",
        ),
        (
            "Somos tres y queremos recorrer dos ciudades de Portugal en 6 días, saliendo desde Vigo el 2 de mayo de 2022. No más de 2.400 euros.",
            "Vigo|Portugal|6|2|2022-05-02|3|2400|-|-|-|-",
        ),
        (
            "Un viaje a Buenos Aires de dos semanas para 2 adultos y un niño, presupuesto de 1,2 millones de pesos argentinos.",
            "-|Buenos Aires|14|1|-|3|1200000|-|-|-|-",
        ),
        (
            "Planea vacaciones en Ciudad de México para un grupo de 6 del 01/03/2022 al 05/03/2022.",
            "-|Ciudad de México|5|1|2022-03-01|6|-|-|-|-|-",
        ),
        (
            "Queremos visitar Granada y Córdoba en octubre con 900 euros como máximo.",
            "-|Granada|-|2|October 2024|-|900|-|-|-|-",
        ),
        (
            "Voy a Río de Janeiro desde Santiago de Chile el 4 de febrero de 2022 por 8 días.",
            "Santiago de Chile|Río de Janeiro|8|1|2022-02-04|1|-|-|-|-|-",
        ),
        (
            "Busco un viaje de 3 días para una persona de Quito a Guayaquil, del 7 al 9 de marzo de 2022, con un tope de 500 dólares.",
            "Quito|Guayaquil|3|1|2022-03-07|1|500|-|-|-|-",
        ),
        ("Viaje de novios: luna de miel en Bali, quince días, 5000 €.", "-|Bali|15|-|-|2|5000|-|-|-|-"),
        (
            "quiero un viaje de madrid a barcelona en junio para 2 personas",
            "madrid|barcelona|-|1|June 2025|2|-|-|-|-|-",
        ),
        (
            "Prepara un viaje de Zaragoza a Bilbao para el próximo fin de semana.",
            "Zaragoza|Bilbao|2|1|2024-09-21|-|-|-|-|-|-",
        ),
        (
            "Un recorrido de 10 días por Andalucía, cuatro viajeros, entre 2.000 y 3.000 €.",
            "-|Andalucía|10|-|-|4|3000|-|-|-|-",
        ),
        (
            "Planea una ruta de 12 días por Perú para un grupo de 10 estudiantes con salida desde Arequipa; presupuesto total de 4.500 soles; nada de vuelos.",
            "Arequipa|Perú|12|-|-|10|4500|-|-|-|no flight",
        ),
        (
            "Viaje familiar (2 adultos y 3 niños) a Orlando desde Bogotá, del 15 al 22 de diciembre de 2025, presupuesto máximo: USD 6.000. Hotel que acepte niños.",
            "Bogotá|Orlando|8|1|2025-12-15|5|6000|children under 10|-|-|-",
        ),
        (
            "Viaje en solitario de una semana a Praga con salida el 14 de marzo de 2022",
            "-|Praga|7|1|2022-03-14|1|-|-|-|-|-",
        ),
    ]);
}

#[test]
fn spanish_wishes_are_read() {
    all_are_read(&[
        (
            "Viaje de Lima a Cusco para 2 personas. El alojamiento debe aceptar mascotas.",
            "Lima|Cusco|-|1|-|2|-|pets|-|-|-",
        ),
        (
            "Viaje de Lima a Cusco para 2 personas. Queremos habitaciones privadas.",
            "Lima|Cusco|-|1|-|2|-|-|-|private room|-",
        ),
        (
            "Viaje de Lima a Cusco para 2 personas. No queremos habitaciones compartidas.",
            "Lima|Cusco|-|1|-|2|-|-|-|not shared room|-",
        ),
        (
            "Viaje de Lima a Cusco para 2 personas, en habitación compartida.",
            "Lima|Cusco|-|1|-|2|-|-|-|shared room|-",
        ),
        (
            "Viaje de Lima a Cusco para 2 personas, con un apartamento entero.",
            "Lima|Cusco|-|1|-|2|-|-|-|entire room|-",
        ),
        ("Viaje de Lima a Cusco para 2 personas, sin vuelos.", "Lima|Cusco|-|1|-|2|-|-|-|-|no flight"),
        (
            "Viaje de Lima a Cusco para 2 personas. Preferimos no conducir.",
            "Lima|Cusco|-|1|-|2|-|-|-|-|no self-driving",
        ),
        (
            "Viaje de Lima a Cusco para 2 personas. Nos gusta la comida mexicana, italiana y china.",
            "Lima|Cusco|-|1|-|2|-|-|Mexican,Italian,Chinese|-|-",
        ),
        (
            "Viaje de Lima a Cusco para 2 personas. Nos interesa la cocina mediterránea, francesa e india.",
            "Lima|Cusco|-|1|-|2|-|-|Mediterranean,French,Indian|-|-",
        ),
        (
            "Viaje de Lima a Cusco para 3 personas en un alojamiento que admita niños menores de 10 años.",
            "Lima|Cusco|-|1|-|3|-|children under 10|-|-|-",
        ),
        (
            "Viaje de Lima a Cusco para 2 personas. Que se permita fumar en el alojamiento.",
            "Lima|Cusco|-|1|-|2|-|smoking|-|-|-",
        ),
        (
            "Viaje de Lima a Cusco para 6 personas. El alojamiento debe permitir fiestas.",
            "Lima|Cusco|-|1|-|6|-|parties|-|-|-",
        ),
        (
            "Viaje de Lima a Cusco para 2 personas. Evitemos el avión y que se admitan visitas.",
            "Lima|Cusco|-|1|-|2|-|visitors|-|-|no flight",
        ),
    ]);
}
