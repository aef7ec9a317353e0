/* SPDX-License-Identifier: MIT */
/* pipe_stories.c: files of golden/, each with a pipeline that suits it. */
#include "support/pipe_stories.h"
#include <stddef.h>

const dvt_pipe_story dvt_pipe_stories[] = {
    {"transform/onehot-indicator-w/input.idv", "onehot B:W; onehot C:A kind=bin; term D:V"},
    {"transform/hash-invert2/input.idv", "hash B:A bits=4 invert=2; onehothash C:A bits=3"},
    {"transform/term-key-in-textkv/input.idv",
     "term B:A sort=value textkv+; value C:B; vector D:B bag+; select C D"},
    {"transform/dropslots-text/input.idv",
     "isna M:N K:S; dropslots D:R E:TV F:Q slots=[0 2-]; lpnorm L:N norm=l1; gcn G:P std+"},
    {"transform/norm-supbin-vec-r8/input.idv",
     "normalize B:A; normalize C:A mode=meanvar cdf+; normalize D:A mode=bin bins=3; normalize E:A "
     "mode=supbin label=L min=2; normalize F:A mode=robust"},
    {"transform/nahandle-vec-mean/input.idv",
     "handlena B:A mode=mean; handlena C:A mode=max slots-; replacena D:A mode=mode; replacena E:A "
     "mode=value value=3; dropnaslots F:A"},
    {"transform/countselect-3/input.idv", "selectcount B:A count=3; selectcount C:T D:S"},
    {"transform/norm-supbin-vec-r8/input.idv", "selectmi B:A label=L slots=3 bins=4"},
    {"transform/select-drop/input.idv",
     "combine B:S,R; convert Q type=TX; copy N:S; rowid Id; drop T"},
    {"transform/select-drop/input.idv", "optional R Sn; optional a b type=V<R4,3>; drop S"},
    {"transform/hash-invert2/input.idv",
     "term B:A terms=[x \"\\\"y\\\\ z\" \xC3\xA9] max=2; copy \"C \x01 D\":B"},
    {"transform/hash-invert2/input.idv",
     "chars C:A; ngram D:C n=3 skips=1 weight=tfidf; ngram E:C n=4 max=[3 30 200 1]"},
    {"idv/scalar-all-raw-rpb7.idv",
     "group BL columns=[TX I4 DZ]; ungroup TX I4 mode=outer; optional BL x type=BL"},
    {"transform/select-drop/input.idv",
     "map B:T keys=[\"\" a] values=[1 2.5] valuetype=R4; map C:T keys=[] values=[] askeys+"},
    {"transform/hash-invert2/input.idv", ""},
    {NULL, NULL},
};
