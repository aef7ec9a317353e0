/* SPDX-License-Identifier: MIT */
/* dataview.h: all of the library's public headers. */
#ifndef DATAVIEW_DATAVIEW_H
#define DATAVIEW_DATAVIEW_H

#include <dataview/arrow.h>
#include <dataview/batch.h>
#include <dataview/bucket.h>
#include <dataview/buffer.h>
#include <dataview/cache.h>
#include <dataview/counts.h>
#include <dataview/csr.h>
#include <dataview/cursor.h>
#include <dataview/cursor_set.h>
#include <dataview/datadings.h>
#include <dataview/dense.h>
#include <dataview/digest.h>
#include <dataview/dlpack.h>
#include <dataview/epoch.h>
#include <dataview/expression.h>
#include <dataview/feed.h>
#include <dataview/folder.h>
#include <dataview/format.h>
#include <dataview/inspect.h>
#include <dataview/kernels.h>
#include <dataview/mix.h>
#include <dataview/msgpack.h>
#include <dataview/names.h>
#include <dataview/open.h>
#include <dataview/open_type.h>
#include <dataview/order.h>
#include <dataview/own_view.h>
#include <dataview/pack.h>
#include <dataview/pipeline.h>
#include <dataview/plan.h>
#include <dataview/row.h>
#include <dataview/rowid.h>
#include <dataview/sample.h>
#include <dataview/save.h>
#include <dataview/schema.h>
#include <dataview/source.h>
#include <dataview/stats.h>
#include <dataview/status.h>
#include <dataview/step.h>
#include <dataview/table.h>
#include <dataview/token.h>
#include <dataview/transform.h>
#include <dataview/type.h>
#include <dataview/value.h>
#include <dataview/version.h>
#include <dataview/view.h>
#include <dataview/writer.h>

#endif
