// SPDX-License-Identifier: GPL-2.0
/*
 * Output: lists of objects.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out.h"
#include "ttpctl.h"

#define MAX_COLUMNS	32

/* The table being printed: text waits until the column widths are known */
static struct {
	const struct out_field *fields;
	size_t width[MAX_COLUMNS];
	char (*cells)[OUT_TEXT];
	size_t count, room;
	bool opened;	/* JSON: nothing is printed when the first step fails */
} table;

static char *new_cell(void)
{
	if (table.count == table.room) {
		table.room = table.room ? table.room * 2 : 256;
		table.cells = realloc(table.cells,
				      table.room * sizeof(*table.cells));
		if (!table.cells)
			exit(fail("out of memory"));
	}
	return table.cells[table.count++];
}

void out_table(const struct out_field *fields)
{
	unsigned int i = 0;

	table.fields = fields;
	table.count = 0;
	for (; fields->key; fields++)
		if (out_shown(fields)) {
			snprintf(new_cell(), OUT_TEXT, "%s", fields->head);
			table.width[i++] = strlen(fields->head);
		}
}

static void open_table(void)
{
	if (!table.opened)
		json_open(NULL, '[');
	table.opened = true;
}

void out_row(uint8_t cmd, const struct nl_attrs *attrs, void *arg)
{
	const struct out_field *field = table.fields;
	unsigned int i = 0;
	char *cell;

	(void)cmd;
	(void)arg;
	if (opt.json) {
		open_table();
		json_open(NULL, '{');
		out_fields(field, attrs);
		json_close('}');
		return;
	}
	for (; field->key; field++)
		if (out_shown(field)) {
			cell = new_cell();
			out_text(cell, OUT_TEXT, field, attrs);
			if (strlen(cell) > table.width[i])
				table.width[i] = strlen(cell);
			i++;
		}
}

void out_table_end(void)
{
	const struct out_field *field;
	unsigned int columns = 0, i;
	size_t cell;

	if (opt.json) {
		open_table();
		json_close(']');
		json_end();
		table.opened = false;
		return;
	}
	for (field = table.fields; field->key; field++)
		columns += out_shown(field);
	for (cell = 0; columns && cell < table.count; cell++) {
		i = cell % columns;
		if (i == columns - 1)
			printf("%s\n", table.cells[cell]);
		else
			printf("%-*s  ", (int)table.width[i],
			       table.cells[cell]);
	}
}

int out_list(struct nlmsghdr *nlh, const struct key *keys,
	     const struct out_field *fields)
{
	int err;

	out_table(fields);
	err = nl_talk(nlh, keys, out_row, NULL);
	if (!err)
		out_table_end();
	return err;
}
