/* SPDX-License-Identifier: MIT */
/* pipe_stories.h: files of golden/, each with a pipeline that suits it. */
#ifndef DVT_PIPE_STORIES_H
#define DVT_PIPE_STORIES_H

typedef struct dvt_pipe_story {
    const char *file, *pipeline;
} dvt_pipe_story;

/* The last has no file. */
extern const dvt_pipe_story dvt_pipe_stories[];

#endif
