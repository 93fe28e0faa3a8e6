# Plans for work on data. With an input, lines or examples it is one function; with a file named, the file is read
# before; else the words alone have to do.

plan_step(/work_on_data, /read, 1, "Read {file}").
plan_when(/work_on_data, /read, /file).
plan_unless(/work_on_data, /read, /before).
plan_uses(/work_on_data, /read, "read_file").
plan_argument(/work_on_data, /read, "path", "{file}").
plan_step(/work_on_data, /read_other, 1, "Read {other}").
plan_when(/work_on_data, /read_other, /other).
plan_unless(/work_on_data, /read_other, /before).
plan_uses(/work_on_data, /read_other, "read_file").
plan_argument(/work_on_data, /read_other, "path", "{other}").
plan_needs(/work_on_data, /compile, /read_other).
plan_step(/work_on_data, /fetch, 1, "Fetch {url}").
plan_when(/work_on_data, /fetch, /url).
plan_unless(/work_on_data, /fetch, /file).
plan_unless(/work_on_data, /fetch, /before).
plan_uses(/work_on_data, /fetch, "http_get").
plan_argument(/work_on_data, /fetch, "url", "{url}").
plan_step(/work_on_data, /compile, 2, "{task}").
plan_by_example(/work_on_data, /compile).
plan_needs(/work_on_data, /compile, /read).
plan_needs(/work_on_data, /compile, /fetch).

plan_as(/convert, /work_on_data).
plan_data(/convert).
plan_as(/transform, /work_on_data).
plan_data(/transform).
plan_as(/translate, /work_on_data).
plan_data(/translate).
plan_as(/parse, /work_on_data).
plan_data(/parse).
plan_as(/format, /work_on_data).
plan_data(/format).
plan_as(/encode, /work_on_data).
plan_data(/encode).
plan_as(/decode, /work_on_data).
plan_data(/decode).
plan_as(/normalize, /work_on_data).
plan_data(/normalize).
plan_data(/split).
plan_data(/join).
plan_data(/merge).
plan_data(/map).
plan_as(/flatten, /work_on_data).
plan_data(/flatten).

plan_as(/extract, /work_on_data).
plan_data(/extract).
plan_as(/filter, /work_on_data).
plan_data(/filter).
plan_data(/select).
plan_data(/pick).
plan_as(/deduplicate, /work_on_data).
plan_data(/deduplicate).

plan_as(/count, /work_on_data).
plan_data(/count).
plan_as(/sum, /work_on_data).
plan_data(/sum).
plan_data(/total).
plan_as(/average, /work_on_data).
plan_data(/average).
plan_as(/calculate, /work_on_data).
plan_data(/calculate).
plan_as(/compute, /work_on_data).
plan_data(/compute).
plan_as(/tally, /work_on_data).
plan_data(/tally).

plan_as(/sort, /work_on_data).
plan_data(/sort).
plan_as(/group, /work_on_data).
plan_data(/group).
plan_as(/rank, /work_on_data).
plan_data(/rank).
plan_data(/order).
plan_as(/aggregate, /work_on_data).
plan_data(/aggregate).

# Said of a file of data these mean its content, whatever they mean elsewhere.

plan_shapes(/convert).
plan_shapes(/transform).
plan_shapes(/translate).
plan_shapes(/parse).
plan_shapes(/format).
plan_shapes(/encode).
plan_shapes(/decode).
plan_shapes(/normalize).
plan_shapes(/split).
plan_shapes(/join).
plan_shapes(/merge).
plan_shapes(/map).
plan_shapes(/flatten).
plan_shapes(/extract).
plan_shapes(/filter).
plan_shapes(/select).
plan_shapes(/pick).
plan_shapes(/deduplicate).
plan_shapes(/count).
plan_shapes(/sum).
plan_shapes(/total).
plan_shapes(/average).
plan_shapes(/calculate).
plan_shapes(/compute).
plan_shapes(/tally).
plan_shapes(/sort).
plan_shapes(/group).
plan_shapes(/rank).
plan_shapes(/order).
plan_shapes(/aggregate).
plan_shapes(/clean).
plan_shapes(/shuffle).
plan_shapes(/sample).
plan_shapes(/dedupe).

# Of what came before some is kept, and some is not: "fetch … and remove the repeated words".

plan_sifts(/remove).
plan_sifts(/delete).
plan_sifts(/drop).
plan_sifts(/discard).
plan_sifts(/keep).
plan_sifts(/take).

# With an input given, verbs of other plans too are for what came in.

plan_data(/explain).
plan_data(/find).
plan_data(/search).
plan_data(/read).
plan_data(/change).
plan_data(/update).
plan_data(/fix).
plan_data(/create).
plan_data(/remove).
plan_data(/delete).
