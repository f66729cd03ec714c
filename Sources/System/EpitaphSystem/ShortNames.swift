// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

// What users call Epitaph.Event is Event in the house.
package typealias SystemError = Epitaph.SystemError
