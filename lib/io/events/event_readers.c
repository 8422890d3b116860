/* THE table of readers of events, asked from the first row on. */
#include "io/events/event_reader.h"

static const sp_event_reader *const readers[] = {
    &sp_edf_events,    &sp_xml_events,      &sp_annot_events,  &sp_ids_events,
    &sp_vis_events,    &sp_elan_events,     &sp_dreams_events, &sp_stg_events,
    &sp_domino_events, &sp_remlogic_events, &sp_table_events,  &sp_visbrain_events,
};

const sp_event_reader *sp_event_reader_find(const sp_file_look *look)
{
    for (size_t i = 0; look->n > 0 && i < sizeof readers / sizeof readers[0]; i++)
        if (readers[i]->recognise(look))
            return readers[i];
    return NULL;
}
