/* f_kinds.h - the kinds of arrays and datasets: array_kind, dataset_kind. A file includes it once, for the calls of one
 * process or of many, and says before:
 *
 *   CALL(name)       the function, or the type, of that name: drx_name or drxmp_name
 *   MAKE(name, ...)  a call of one that makes or opens, with its communicator if it has one
 *   VIEW(name, it)   what inquiries take, by the function of that name
 *   TOGETHER         whether the calls are collective
 *   ELEMENTS         what such arrays alone do with elements, as members of the kind */

static drx_array *array(void *it)
{
    return VIEW(serial, it);
}

static const drx_dataset *dataset(void *it)
{
    return VIEW(dataset_serial, it);
}

static drx_status close_array(void *it)
{
    return CALL(close)(it);
}

static drx_status close_dataset(void *it)
{
    return CALL(dataset_close)(it);
}

static drx_status make_array(const struct drxf_wish *w, void **out)
{
    CALL(array) *a = NULL;
    const drx_status st = w->create ? MAKE(create, w->path, w->spec, &a) : MAKE(open, w->path, w->mode, &a);

    *out = a;
    return st;
}

static drx_status make_dataset(const struct drxf_wish *w, void **out)
{
    CALL(dataset) *ds = NULL;
    const drx_status st =
        w->create ? MAKE(dataset_create, w->path, &ds) : MAKE(dataset_open, w->path, w->mode, w->at, &ds);

    *out = ds;
    return st;
}

static drx_status lend(void *it, const char *name, bool add, const drx_spec *spec, void **out)
{
    CALL(array) *a = NULL;
    const drx_status st = add ? CALL(dataset_add)(it, name, spec, &a) : CALL(dataset_array)(it, name, &a);

    *out = a;
    return st;
}

static drx_status change_array(void *it, enum drxf_to what, const struct drxf_given *g)
{
    switch (what) {
    case DRXF_TO_REFRESH:
        return CALL(refresh)(it);
    case DRXF_TO_ATTR_SET:
        return CALL(attr_set)(it, g->name, g->type, g->n, g->values);
    case DRXF_TO_ATTR_SET_TEXT:
        return CALL(attr_set_text)(it, g->name, g->text);
    case DRXF_TO_ATTR_DELETE:
        return CALL(attr_delete)(it, g->name);
    case DRXF_TO_SYNC:
        return CALL(sync)(it);
    case DRXF_TO_PERSIST:
        return CALL(persist)(it, (unsigned)g->part);
    case DRXF_TO_EXTEND:
        return CALL(extend)(it, g->axis, g->by);
    case DRXF_TO_EXTEND_BEFORE:
        return CALL(extend_before)(it, g->axis, g->by);
    case DRXF_TO_TRIM:
        return CALL(trim)(it, g->axis, g->before, g->after);
    case DRXF_TO_ADD_AXIS:
        return CALL(add_axis)(it, g->axis, g->name);
    case DRXF_TO_DIM_RENAME:
        return CALL(dim_rename)(it, g->axis, g->name);
    default:
        return DRX_EINVAL;
    }
}

static drx_status change_dataset(void *it, enum drxf_to what, const struct drxf_given *g)
{
    switch (what) {
    case DRXF_TO_REFRESH:
        return CALL(dataset_refresh)(it);
    case DRXF_TO_ATTR_SET:
        return CALL(dataset_attr_set)(it, g->part, g->of, g->name, g->type, g->n, g->values);
    case DRXF_TO_ATTR_SET_TEXT:
        return CALL(dataset_attr_set_text)(it, g->part, g->of, g->name, g->text);
    case DRXF_TO_ATTR_DELETE:
        return CALL(dataset_attr_delete)(it, g->part, g->of, g->name);
    case DRXF_TO_REMOVE:
        return CALL(dataset_remove)(it, g->name);
    case DRXF_TO_ADD_GROUP:
        return CALL(dataset_add_group)(it, g->name);
    case DRXF_TO_ADD_DIM:
        return CALL(dataset_add_dim)(it, g->name, g->before, g->after);
    case DRXF_TO_REMOVE_GROUP:
        return CALL(dataset_remove_group)(it, g->name);
    case DRXF_TO_SET_NAME:
        return CALL(dataset_set_name)(it, g->part, g->name, g->text);
    case DRXF_TO_GROW:
        return CALL(dataset_extend)(it, g->name, g->by);
    case DRXF_TO_GROW_BEFORE:
        return CALL(dataset_extend_before)(it, g->name, g->by);
    case DRXF_TO_RESERVE:
        return CALL(dataset_reserve)(it, g->name, g->by, g->first);
    case DRXF_TO_RESERVE_BEFORE:
        return CALL(dataset_reserve_before)(it, g->name, g->by, g->first);
    case DRXF_TO_SHRINK:
        return CALL(dataset_trim)(it, g->name, g->before, g->after);
    case DRXF_TO_WIDEN:
        return CALL(dataset_add_axis)(it, g->name, g->axis, g->text);
    case DRXF_TO_BEGIN:
        return CALL(dataset_begin)(it);
    case DRXF_TO_COMMIT:
        return CALL(dataset_commit)(it, g->text);
    case DRXF_TO_ABORT:
        return CALL(dataset_abort)(it);
    case DRXF_TO_FORGET:
        return CALL(dataset_forget)(it, g->by);
    case DRXF_TO_COMPACT:
        return CALL(dataset_compact)(it);
    default:
        return DRX_EINVAL;
    }
}

static const struct drxf_kind array_kind = {
    .name = "an array",
    .array = array,
    .together = TOGETHER,
    .close = close_array,
    .make = make_array,
    .change = change_array,
    ELEMENTS,
};

static const struct drxf_kind dataset_kind = {
    .name = "a dataset",
    .dataset = dataset,
    .together = TOGETHER,
    .close = close_dataset,
    .make = make_dataset,
    .change = change_dataset,
    .lent = &array_kind,
    .lend = lend,
};
