// SPDX-License-Identifier: Apache-2.0

// This module declares `Epitaph`, in which everything public is nested.
@_exported import EpitaphValues
