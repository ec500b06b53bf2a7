use lastbit_noise::entropy::Entropy;

use super::{Exponential, Score, SelectionError};

impl Exponential {
    /// The indices of `k` candidates, one exponential mechanism after the other, each among those
    /// not yet selected ("peeling").
    ///
    /// **This is also the law of one-shot selection**, which adds Gumbel noise of scale `1/rate` to
    /// every score once and publishes the `k` largest in order. The largest of the noised scores
    /// has the law of the exponential mechanism; given which one it is, the others keep the order
    /// of their own noised scores. So there is one sampler for both, and *one loss*: adding noise
    /// once does not make `k` answers cost what one does.
    ///
    /// **Privacy.** `k·ε` pure; k times the ρ of one selection under zCDP, which for small ε is
    /// `k·ε²/8`. Both compose adaptively, as is needed: which candidates remain depends on the
    /// answers so far. That the range of the whole were `k·ε` would need composition that is not
    /// adaptive. The order is part of the answer, at no extra cost.
    ///
    /// ```
    /// use lastbit::mechanisms::exponential::Exponential;
    /// use lastbit::System;
    /// let mechanism = Exponential::new(&"0.5".parse()?, &"1".parse()?);
    /// let two = mechanism.top_k(&[310i64, 12, 298], 2, &mut System::default())?;
    /// assert!(two.len() == 2 && two[0] != two[1]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// **Time.** That of `k` selections.
    pub fn top_k<S: Score>(
        &self,
        scores: &[S],
        k: usize,
        entropy: &mut impl Entropy,
    ) -> Result<Vec<usize>, SelectionError> {
        if k > scores.len() {
            return Err(SelectionError::TooMany {
                wanted: k,
                candidates: scores.len(),
            });
        }
        let mut scores = scores.to_vec();
        let mut indices: Vec<usize> = (0..scores.len()).collect();
        let mut selected = Vec::with_capacity(k);
        for _ in 0..k {
            let place = self.draw(&scores, entropy)?;
            scores.remove(place);
            selected.push(indices.remove(place));
        }
        Ok(selected)
    }
}
