/* SPDX-License-Identifier: MIT */
/* dlpack.h: hands out a column of a batch as a DLPack tensor, which torch, JAX, NumPy, CuPy and
 * others take.  docs/dlpack.md says what becomes of each type.
 *
 * The structs are those of DLPack 1.  They are declared here unless the official dlpack.h or a copy
 * of it has been included before; if it comes later, it adds nothing. */
#ifndef DATAVIEW_DLPACK_H
#define DATAVIEW_DLPACK_H

#include <dataview/batch.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_

#ifdef __cplusplus
#define DLPACK_EXTERN_C extern "C"
#else
#define DLPACK_EXTERN_C
#endif

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 0

#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)

typedef struct {
    uint32_t major, minor;
} DLPackVersion;

#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
    kDLCPU = 1,
    kDLCUDA = 2,
    kDLCUDAHost = 3,
    kDLOpenCL = 4,
    kDLVulkan = 7,
    kDLMetal = 8,
    kDLVPI = 9,
    kDLROCM = 10,
    kDLROCMHost = 11,
    kDLExtDev = 12,
    kDLCUDAManaged = 13,
    kDLOneAPI = 14,
    kDLWebGPU = 15,
    kDLHexagon = 16,
    kDLMAIA = 17
} DLDeviceType;

typedef struct {
    DLDeviceType device_type;
    int32_t device_id;
} DLDevice;

typedef enum {
    kDLInt = 0U,
    kDLUInt = 1U,
    kDLFloat = 2U,
    kDLOpaqueHandle = 3U,
    kDLBfloat = 4U,
    kDLComplex = 5U,
    kDLBool = 6U
} DLDataTypeCode;

typedef struct {
    uint8_t code, bits;
    uint16_t lanes;
} DLDataType;

typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
    DLTensor dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

typedef struct DLManagedTensorVersioned {
    DLPackVersion version;
    void *manager_ctx;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    DLTensor dl_tensor;
} DLManagedTensorVersioned;

#endif

struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* Make a tensor on the CPU of column k of a batch, with a dimension for the rows and one for each
 * dim of a vector.  Its strides are those of rows that follow each other.
 *
 *   I1..I8, U1..U8, R4, R8  items of the same width; NA stays the stored value (NaN; the least
 *                           number of I1..I8)
 *   BL                      kDLBool
 *   TS, DT                  int64, in ticks of 100 ns; NA stays the stored value
 *   keys                    int64, the class numbers from 0 on; always a copy
 *
 * copy        true: fresh memory at a multiple of 64 bytes, which the consumer may write; the flag
 *             IS_COPIED is set.  It needs neither batch nor view.
 *             false: the bytes of the batch; the flag READ_ONLY is set, and the tensor retains the
 *             batch.  They may be the mapped file: a consumer that ignores the flag, as torch does,
 *             ends the process when it writes
 * tensor_out  the version is 1.0.  The consumer calls (*tensor_out)->deleter, in any thread and
 *             after everything else is gone, or passes the tensor on
 *
 * Any thread.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no such column; a type that tensors do not have (TX, BY, DZ, UG, extensions),
 *                  vectors of which a row is sparse or whose size varies, or a key or BL that is
 *                  NA: the message has the position, and says which function helps
 * DV_ERR_COPY      copy is false, and the items are keys, or not aligned
 * DV_ERR_MEMORY
 *
 * After a failure *tensor_out is NULL. */
DV_API dv_status dv_column_export_dlpack(const dv_batch *batch, int32_t k, bool copy,
                                         struct DLManagedTensorVersioned **tensor_out,
                                         dv_error *err);

/* The same for consumers of DLPack before 1.0, which know no flags: always a copy. */
DV_API dv_status dv_column_export_dlpack_old(const dv_batch *batch, int32_t k,
                                             struct DLManagedTensor **tensor_out, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
