// SPDX-License-Identifier: Apache-2.0

// It declares `Epitaph`, in which everything public is nested.
@_exported import EpitaphValues
