// SPDX-License-Identifier: Apache-2.0

// It declares what is converted.
@_exported import EpitaphValues
