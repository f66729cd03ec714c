// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

// Internal short names.
package typealias SystemError = Epitaph.SystemError
