//! What the common Spanish words of planning work are in English.
//!
//! Words that are also English words of another meaning are left out.

use std::sync::LazyLock;

use candor_model::IdMap;

/// The English word for a Spanish one, given without accents, in the singular and the masculine.
pub(super) fn to_english(word: &str) -> Option<&'static str> {
    static TABLE: LazyLock<IdMap<&str, &str>> =
        LazyLock::new(|| PAIRS.split_whitespace().filter_map(|pair| pair.split_once('=')).collect());
    TABLE.get(word).copied()
}

const PAIRS: &str = "
    abogado=lawyer abrir=open actividad=activity actualizar=update aeropuerto=airport agregar=add
    ahorrar=save alojamiento=accommodation alquilar=rent alquiler=rent analisis=analysis analizar=analyze
    anadir=add anuncio=advertisement aplicacion=application aprender=learn archivo=file articulo=article
    asiento=seat atraccion=attraction avion=airplane ayuda=help ayudar=help banco=bank barato=cheap
    barco=ship base=base billete=ticket boleto=ticket borrar=delete buscar=search busca=search
    busqueda=search cabana=cabin calcular=calculate calculo=calculation calendario=calendar cambiar=change
    cambio=exchange camara=camera cancion=song carrera=career carta=letter casa=house cena=dinner
    cerrar=close ciudad=city clase=class cliente=customer clima=weather coche=car cocina=cook
    cocinar=cook codigo=code comida=food compania=company comparar=compare comparacion=comparison
    comprar=buy compra=buy comprobar=check compartir=share concierto=concert conferencia=conference
    confirmar=confirm conseguir=obtain construir=build consultar=query contrato=contract convertir=convert
    correo=email correccion=correction corregir=correct costo=cost coste=cost crear=create crea=create
    cuenta=account curso=course dato=data decidir=decide definir=define descargar=download
    descuento=discount desarrollar=develop desarrollo=development desplegar=deploy dia=day dieta=diet
    dinero=money disenar=design diseno=design disponibilidad=availability disponible=available
    divisa=currency documento=document ejecutar=run ejercicio=exercise elegir=choose empleo=job
    empresa=company encontrar=find encuentra=find encuesta=survey entrada=ticket enviar=send envio=shipping
    equipo=team error=error escribir=write escuela=school espectaculo=show estrella=star estudiante=student
    estudiar=study estudio=study evento=event examen=exam excursion=excursion explicar=explain
    exportar=export extraer=extract factura=invoice fecha=date ferrocarril=rail foto=photo
    fotografia=photo futbol=football ganancia=profit gasolina=fuel gasto=expense generar=generate
    grafico=chart grafica=chart guardar=save habitacion=room hacer=make herramienta=tool historia=story
    hospedaje=lodging hotel=hotel idioma=language imagen=image impuesto=tax incluir=include
    informe=report informacion=information ingreso=income instalar=install inteligencia=intelligence
    inversion=investment invertir=invest investigacion=research investigar=research invitacion=invitation
    itinerario=itinerary jugar=play juego=game ley=law leer=read lengua=language libro=book limpiar=clean
    limite=limit lista=list llamada=call lluvia=rain lugar=place mandar=send mapa=map maquina=machine
    mascota=pet medico=doctor mejorar=improve mensaje=message mercado=market mes=month metro=metro
    moneda=currency mostrar=show museo=museum musica=music negocio=business nino=child noche=night
    nota=note noticia=news numero=number nube=cloud obtener=obtain oferta=offer oficina=office
    ordenar=sort pagar=pay pagina=page pago=payment pais=country palabra=word partido=match pase=pass
    pedido=order pelicula=movie perro=dog persona=person piso=apartment plan=plan planificar=plan
    planificacion=plan planear=plan planea=plan playa=beach pregunta=question precio=price preparar=prepare
    presentacion=presentation presupuesto=budget probar=test producto=product programa=program
    programar=program propiedad=property proveedor=provider proyecto=project prueba=test publicar=publish
    publicidad=advertising receta=recipe recomendar=recommend recomienda=recommend
    recomendacion=recommendation recordatorio=reminder redactar=write regalo=gift regla=rule
    reporte=report reserva=reservation reservar=reserve reservacion=reservation respuesta=answer
    restaurante=restaurant restriccion=constraint resultado=result resumen=summary resumir=summarize
    reunion=meeting revisar=review ropa=clothes ruta=route salud=health seguridad=security seguro=insurance
    semana=week servicio=service servidor=server sitio=site sugerir=suggest tabla=table tarea=task
    tarifa=fare tarjeta=card temperatura=temperature tiempo=weather tienda=shop traducir=translate
    traduccion=translation traductor=translator transporte=transport tren=train trabajo=job
    turismo=tourism turista=tourist turistico=tourist ubicacion=location vacaciones=vacation
    vacacion=vacation validar=validate valida=validate validacion=validation vehiculo=vehicle vender=sell
    venta=sale ver=see verificar=verify verifica=verify vestido=dress viajar=travel viaje=trip
    vivienda=housing volar=fly voz=voice vuelo=flight zapato=shoe
    necesitar=need querer=want poder=can tener=have ayudame=help dame=give necesito=need quiero=want
    puedes=can puede=can tengo=have quisiera=want gracias=thanks nuevo=new mejor=best
    calcula=calculate compara=compare comprueba=check envia=send escribe=write genera=generate
    haz=make muestra=show organiza=organize organizar=organize prepara=prepare resume=summarize
    revisa=review traduce=translate reserve=reserve
";
